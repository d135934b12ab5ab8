/**
 * The only place that creates clients and pools. Each has an `error` listener: otherwise a session that the server ends between queries would end
 * this process; `isConnectionLost` recognises the error at the next use.
 */
import pg from 'pg'
import { codeOf } from '../start-error.ts'
import { isOutdatedPlan, openNames } from './named-statements.ts'

const ignore = () => undefined

const PAUSE_AFTER_FAILURE = 100

/** The caller ends the client, and listens to `end` to notice a break without a statement. */
export async function openClient(settings: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(settings)
  client.on('error', ignore)
  await client.connect()
  return client
}

/** A pool that replaces broken connections at the next use. The caller ends it. */
export function openPool(settings: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...settings, Client: delayingClient() })
  pool.on('error', ignore)
  pool.on('connect', (client) => void client.on('error', ignore))
  return pool
}

/** Requests within the delay fail with the last error: otherwise a recovering server would spend its time refusing connections. */
function delayingClient(): typeof pg.Client {
  const names = openNames()
  let failed = { at: Number.NEGATIVE_INFINITY, error: new Error() }
  return class extends pg.Client {
    /** Part of the names after a schema change: old statements keep the old names until the connection ends. */
    #changes = 0

    override connect(): Promise<this>
    override connect(done: (error: Error) => void): void
    override connect(done?: (error: Error) => void): Promise<this> | undefined {
      if (!done) return super.connect() as Promise<this>
      if (performance.now() - failed.at < PAUSE_AFTER_FAILURE) {
        process.nextTick(done, failed.error)
        return
      }
      super.connect((error: Error) => {
        if (error) failed = { at: performance.now(), error }
        done(error)
      })
    }

    // Only statements with values get names.
    override query(...asked: unknown[]): never {
      const ask = super.query.bind(this) as (...statement: unknown[]) => unknown
      const [text, values, done] = asked
      if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || done) return ask(...asked) as never
      const name = names.of(text)
      if (name === undefined) return ask(text, values) as never
      const changes = this.#changes
      const answer = ask({ name: changes === 0 ? name : `${name}_${changes}`, text, values }) as Promise<unknown>
      return answer.catch((error: unknown) => {
        if (!isOutdatedPlan(error)) throw error
        this.#changes = changes + 1
        // In an aborted transaction this fails too; then the first error has the cause.
        return (ask(text, values) as Promise<unknown>).catch(() => Promise.reject(error))
      }) as never
    }
  }
}

/** Shutdown or crash, startup or recovery, database dropped, too many connections, idle timeout. */
const states = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '53300', '53400', '25P03', '25P04'])

/** Codes of system calls. ENOENT and EACCES count only for the socket of the server. */
const broken = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTCONN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
const unreachable = new Set(['ENOENT', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN'])

/** Messages without a code of the driver, its pool and the query builder. */
const sentences =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end|driver has already been destroyed|Postgres connection has been discarded|Query read timeout)/

/** Whether the database was unreachable or the connection broke; the statement may or may not have been executed. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code.startsWith('08') || states.has(code) || broken.has(code)) return true
  if (unreachable.has(code)) return ['connect', 'getaddrinfo'].includes(String((error as { syscall?: unknown }).syscall))
  return error instanceof Error && sentences.test(error.message)
}
