/**
 * The starts that are under way in this process. Their progress is stored, and their teams are notified, at most once a second for each; those whose
 * rows were ended, here or on another node, are stopped.
 */
import { RuleError } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import { type CreateWatch, EngineError } from '../ports/engine/engine.ts'
import { listPending, type StoredStart, setProgress } from './starts.queries.ts'

/** Milliseconds. */
const pollInterval = 1_000

export interface Starts {
  /** Runs the start of a Pending row, and settles as `work`. */
  run<T>(of: StartOf, work: (watch: CreateWatch) => Promise<T>): Promise<T>
  /** Stops a start whose row was ended. Resolves to true once it has stopped, to false if it creates its container or is not of this process. */
  stop(id: string): Promise<boolean>
  /** Gives up patient starts that wait, now or later, with `server.unavailable`, and waits for the others. */
  close(): Promise<void>
}

interface StartOf {
  readonly id: string
  readonly challengeId: number
  /** null: a test container. */
  readonly participationId: number | null
  /** See `CreateWatch`. */
  readonly waitsForImages: boolean
}

interface Start {
  readonly of: StartOf
  phase: StoredStart['phase']
  percent: number | null
  /** When it joined the queue, in ms of the monotonic clock; null: it never rejoined, and there is nothing to store. */
  queuedAt: number | null
  isStored: boolean
  /** The progress that was published last, as JSON. */
  published: string
  readonly stopping: AbortController
  readonly done: Promise<unknown>
}

export function openStarts({ db, bus, onError }: Pick<Deps, 'db' | 'bus' | 'onError'>): Starts {
  const starts = new Map<string, Start>()
  let isClosing = false

  function see(start: Start, phase: Start['phase'], percent: number | null): void {
    if (start.phase === phase && start.percent === percent) return
    if (phase === 'queued') start.queuedAt = performance.now()
    Object.assign(start, { phase, percent, isStored: false })
    if (isClosing) abortWaiting(start)
  }

  function abortWaiting({ of, phase, stopping }: Start): void {
    if (of.waitsForImages && phase !== 'creating') stopping.abort(new RuleError('server.unavailable', { retryAfter: 1 }))
  }

  async function store(id: string, start: Start): Promise<void> {
    const { phase, percent, queuedAt } = start
    Object.assign(start, { isStored: true, queuedAt: null })
    try {
      await setProgress(db, id, { phase, percent, queuedSince: queuedAt === null ? null : performance.now() - queuedAt })
    } catch (error) {
      // The next poll stores it, or what has followed in the meantime.
      Object.assign(start, { isStored: false, queuedAt: start.queuedAt ?? queuedAt })
      throw error
    }
  }

  async function poll(): Promise<void> {
    if (starts.size === 0) return
    const looked = [...starts]
    for (const [id, start] of looked) if (!start.isStored) await store(id, start)
    const pending = new Map((await listPending(db, [...starts.keys()])).map((row) => [row.id, row]))
    for (const [id, start] of looked) {
      const row = pending.get(id)
      if (!row) {
        start.stopping.abort(stopped())
        continue
      }
      const { gameId, challengeId, participationId, phase, place, percent } = row
      const progress = JSON.stringify([phase, place, percent])
      if (progress === start.published) continue
      start.published = progress
      if (participationId !== null) bus.publish('start.changed', { gameId, challengeId, participationId })
    }
  }

  const timer = every(pollInterval, poll, onError)
  const unsubscribe = bus.subscribe('instance.changed', ({ challengeId, participationId }) => {
    const concerned = [...starts.values()].filter(
      ({ of }) => of.challengeId === challengeId && of.participationId === participationId,
    )
    if (concerned.length > 0) stopEnded(concerned).catch(onError)
  })

  async function stopEnded(some: readonly Start[]): Promise<void> {
    const ids = some.map(({ of }) => of.id)
    const pending = new Set((await listPending(db, ids)).map(({ id }) => id))
    for (const { of, stopping } of some) if (!pending.has(of.id)) stopping.abort(stopped())
  }

  return {
    run(of, work) {
      const { id, waitsForImages } = of
      const stopping = new AbortController()
      const { promise, resolve } = Promise.withResolvers<void>()
      const start: Start = {
        of,
        ...{ phase: 'queued', percent: null, queuedAt: null, isStored: true, published: '' },
        ...{ stopping, done: promise },
      }
      starts.set(id, start)
      const watch = {
        seen: (...seen: Parameters<CreateWatch['seen']>) => see(start, ...seen),
        signal: stopping.signal,
        waitsForImages,
      }
      return work(watch).finally(() => {
        starts.delete(id)
        resolve()
      })
    },
    async stop(id) {
      const start = starts.get(id)
      start?.stopping.abort(stopped())
      if (!start || start.phase === 'creating') return false
      await start.done
      return true
    },
    async close() {
      unsubscribe()
      isClosing = true
      for (const start of starts.values()) abortWaiting(start)
      await Promise.all([...starts.values()].map(({ done }) => done))
      await timer.close()
    },
  }
}

const stopped = () => new EngineError('stopped', 'It was stopped before it started')
