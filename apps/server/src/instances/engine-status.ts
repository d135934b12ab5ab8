/** Engine calls for administrators. A hanging engine delays a request by at most `engineWithin`. */
import type { EngineStatus } from '@vexil/contract/instances'
import { wireTime } from '@vexil/contract/wire'
import { engineWithin } from '@vexil/core/limits'
import { ContainerEngineUnreachable, ContainersUnavailable } from '@vexil/core/rules'
import { type Engine, EngineError, type EngineState } from '../ports/engine/engine.ts'
import { messageOf } from './launch.ts'

/** Returns the result of `work`, or `late` after `ms`; a later result is dropped. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | 'late'> {
  const { promise, resolve } = Promise.withResolvers<'late'>()
  const timer = setTimeout(resolve, ms, 'late')
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

const unknown = {
  reason: null,
  version: null,
  limitsStorage: null,
  isolation: null,
  credentialsUntil: null,
  running: null,
  images: null,
  memory: null,
  disk: null,
} as const

export function watchEngine(engine: Engine): () => Promise<EngineStatus> {
  const { kind } = engine
  let pending: Promise<EngineState> | null = null
  const readState = () => {
    pending ??= engine.probe().finally(() => {
      pending = null
    })
    return pending
  }
  return async () => {
    if (kind === 'None') return { kind, state: 'none', ...unknown }
    try {
      const answer = await within(engineWithin.state, readState())
      if (answer === 'late') return { kind, state: 'silent', ...unknown }
      const { credentialsUntil } = answer
      const until = credentialsUntil === null ? null : wireTime(credentialsUntil)
      return { kind, state: 'reachable', reason: null, ...answer, credentialsUntil: until }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      return { kind, state: 'unreachable', ...unknown, reason: messageOf(error) }
    }
  }
}

interface FoundImage {
  readonly found: 'here' | 'registry' | 'missing' | 'silent'
  readonly reason: string | null
}

/** @throws ContainersUnavailable, ContainerEngineUnreachable */
export async function lookUp(engine: Engine, image: string): Promise<FoundImage> {
  if (engine.kind === 'None') throw new ContainersUnavailable()
  try {
    const found = await within(engineWithin.image, engine.findImage(image.trim()))
    return { found: found === 'late' ? 'silent' : found, reason: null }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    if (error.problem === 'image') return { found: 'missing', reason: messageOf(error) }
    throw Object.assign(new ContainerEngineUnreachable(), { cause: error })
  }
}
