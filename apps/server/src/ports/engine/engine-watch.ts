/** Starts and destructions are refused immediately while the engine is known to be unreachable, instead of waiting for it one after the other. */
import { countOne, counts } from '../../metrics/counts.ts'
import { type Engine, EngineError } from './engine.ts'

/** Milliseconds for which a check is valid. */
const validFor = 3_000

export interface EngineWatch {
  /** @throws the last EngineError (unreachable) while the engine is unreachable */
  check(): void
  /** The engine, whose calls are watched. */
  watch(engine: Engine): Engine
}

/** While the engine is unreachable, it is polled until it answers. */
export function openEngineWatch(): EngineWatch {
  let unreachable: EngineError | null = null
  let next: NodeJS.Timeout | null = null
  let closed = false

  const answered = () => {
    unreachable = null
    if (next) clearTimeout(next)
    next = null
  }
  const isUnreachable = (error: unknown): error is EngineError => error instanceof EngineError && error.problem === 'unreachable'
  async function poll(ping: Engine['ping']): Promise<void> {
    next = null
    const error = await ping().then(
      () => null,
      (reason: unknown) => reason,
    )
    if (closed || unreachable === null) return
    if (!isUnreachable(error)) return answered()
    unreachable = error
    next = setTimeout(() => void poll(ping), validFor).unref()
  }
  const watched =
    <A extends readonly unknown[], R>({ ping }: Engine, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        const result = await call(...args)
        answered()
        return result
      } catch (error) {
        if (error instanceof EngineError) countOne(counts.engineErrors, error.problem)
        if (isUnreachable(error) && unreachable === null && !closed) {
          unreachable = error
          void poll(ping)
        }
        throw error
      }
    }
  const check = () => {
    if (unreachable) throw unreachable
  }
  return {
    check,
    watch: (engine) => ({
      ...engine,
      create: watched(engine, engine.create),
      list: watched(engine, engine.list),
      inspect: watched(engine, engine.inspect),
      logs: watched(engine, engine.logs),
      // After a refused start, too: the sweep repeats it.
      destroy: watched(engine, async (id) => {
        check()
        await engine.destroy(id)
      }),
      destroyOne: watched(engine, engine.destroyOne),
      probe: watched(engine, engine.probe),
      async close() {
        closed = true
        answered()
        await engine.close()
      },
    }),
  }
}
