/** Waits for the services of started containers: until they answer, or the container ends. Late ones are checked less often. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Readiness } from '@vexil/core/instances'
import { containerLease } from '@vexil/core/limits'
import type { Deps } from '../deps.ts'
import { EngineError } from '../ports/engine/engine.ts'
import { within } from './engine-status.ts'
import { type AwaitedContainer, claimAwaited, markSilent, renewAwaited, setReady } from './ready-watch.queries.ts'

/** Milliseconds between two checks of a service that is late. */
const latePause = 5_000

export interface ReadyWatch {
  /** Watches a container that has just become Running. Returns its readiness as soon as it answers or is late, at the latest after `ms`; the watch continues after that. */
  until(id: string, ms: number): Promise<Readiness>
  /** Watches those whose node has ended. */
  takeOver(): Promise<void>
  close(): Promise<void>
}

type WatchDeps = Pick<Deps, 'db' | 'bus' | 'log' | 'engine' | 'config' | 'node' | 'onError'>

export function openReadyWatch(deps: WatchDeps): ReadyWatch {
  const { db, node, onError } = deps
  const closing = new AbortController()
  const watched = new Map<string, Promise<boolean>>()

  function watch(one: AwaitedContainer): Promise<boolean> {
    const known = watched.get(one.id)
    if (known) return known
    const answered = watchOne(deps, one, closing.signal)
      .catch((error) => {
        onError(error)
        return false
      })
      .finally(() => watched.delete(one.id))
    watched.set(one.id, answered)
    return answered
  }

  return {
    async until(id, ms) {
      const [one] = await claimAwaited(db, { id, node, leaseMs: containerLease })
      if (!one || (await within(Math.max(0, Math.min(ms, one.msLeft)), watch(one))) === true) return 'ready'
      return one.msLeft <= ms ? 'late' : 'waiting'
    },
    async takeOver() {
      for (const one of await claimAwaited(db, { id: null, node, leaseMs: containerLease })) void watch(one)
    },
    async close() {
      closing.abort()
      await Promise.all(watched.values())
    },
  }
}

/** Resolves to whether the service answered. False: the container ended, or the node ends. */
async function watchOne(deps: WatchDeps, one: AwaitedContainer, closing: AbortSignal): Promise<boolean> {
  const until = performance.now() + one.msLeft
  let renewedAt = performance.now()
  let isLate = false
  while (!closing.aborted) {
    const listens = await checkOnce(deps, one)
    if (listens) return becomeReady(deps, one)
    const now = performance.now()
    // An engine that is unreachable says nothing about the service.
    if (listens === false && !isLate && now >= until) {
      isLate = true
      await becomeLate(deps, one)
    }
    if (now - renewedAt >= containerLease / 3) {
      if (!(await renewAwaited(deps.db, one.id, containerLease))) return false
      renewedAt = now
    }
    await sleep(isLate ? latePause : deps.engine.readyPollInterval, undefined, { signal: closing }).catch(() => undefined)
  }
  return false
}

/** null: the engine cannot answer. */
async function checkOnce({ engine, config }: WatchDeps, one: AwaitedContainer): Promise<boolean | null> {
  const { engineId, host, port, publishedPort, namedPorts, readyText } = one
  const published = publishedPort === null ? null : { host: one.publishedHost ?? config.containerEntry, port: publishedPort }
  return engine.listens({ engineId, host, port, published, namedPorts }, readyText).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error
    return null
  })
}

async function becomeReady(deps: WatchDeps, one: AwaitedContainer): Promise<boolean> {
  const isFirst = await setReady(deps.db, one.id)
  if (isFirst) announce(deps, one)
  return isFirst
}

/** Notifies the team, and writes to the log once for each challenge. */
async function becomeLate(deps: WatchDeps, one: AwaitedContainer): Promise<void> {
  const isFirst = await markSilent(deps.db, one.id)
  announce(deps, one)
  if (!isFirst) return
  const { title, challengeId, exposePort, namedPorts, readyText, readyTimeout } = one
  const others = namedPorts.map(({ name }) => name).join(', ')
  const ports = `port ${exposePort}${others && `, or not on ${others}`}`
  const does = readyText === '' ? `does not listen on ${ports}` : `does not send the expected text on ${ports}`
  const message = `${title} (#${challengeId}) ${does}: an instance did not answer within ${readyTimeout} s`
  deps.log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
}

const announce = ({ bus }: WatchDeps, { gameId, challengeId, participationId }: AwaitedContainer) =>
  bus.publish('instance.changed', { gameId, challengeId, participationId })
