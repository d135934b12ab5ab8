/**
 * The only place where clients and pools of the driver are made. Each client has an `error` listener from its first moment on, borrowed
 * or not: a session that the server ends while no query is under way would otherwise end this process. The fault shows itself
 * at the next use of that connection (`isConnectionLost`).
 */
import pg from 'pg'
import { codeOf } from '../start-error.ts'
import { isOutdatedPlan, openNames } from './named-statements.ts'

const ignore = () => undefined

/** After a connection that could not be made, the server is asked for another one this much later (ms). */
const PAUSE_AFTER_FAILURE = 100

/** Connects. The owner ends it, and listens to `end` when a break must be noticed without a statement. */
export async function openClient(settings: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(settings)
  client.on('error', ignore)
  await client.connect()
  return client
}

/** A pool that replaces what broke at the next use. The owner ends it. */
export function openPool(settings: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...settings, Client: patientClient() })
  pool.on('error', ignore)
  pool.on('connect', (client) => void client.on('error', ignore))
  return pool
}

/**
 * While the server takes no connections, requests that come meanwhile fail with what the last attempt said. If each of them asked, a server
 * that recovers would be busy with refusing them.
 */
function patientClient(): typeof pg.Client {
  const names = openNames()
  let failed = { at: Number.NEGATIVE_INFINITY, error: new Error() }
  return class extends pg.Client {
    /** Put behind the names after the schema was changed: what was prepared before stays under the old ones until the connection ends. */
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

    // Statements with values get names; everything else passes as it is.
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
        // In a transaction this fails, too, since the server has given it up: then the first error says why.
        return (ask(text, values) as Promise<unknown>).catch(() => Promise.reject(error))
      }) as never
    }
  }
}

/**
 * States in which the server ends a session or takes no new one: shut down by an administrator or a crash, starting or recovering,
 * the database dropped, too many connections, idle for too long.
 */
const states = new Set(['57P01', '57P02', '57P03', '57P04', '57P05', '53300', '53400', '25P03', '25P04'])

/** Of the system's calls. ENOENT and EACCES count for the socket of the server only. */
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

/** What the driver, its pool and the query builder say without a code. */
const sentences =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed and is not queryable|Cannot use a pool after calling end|driver has already been destroyed|Postgres connection has been discarded|Query read timeout)/

/**
 * Whether an error says that the database could not be reached, or that the connection to it ended. What was under way then may have
 * been carried out or not.
 */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  if (code.startsWith('08') || states.has(code) || broken.has(code)) return true
  if (unreachable.has(code)) return ['connect', 'getaddrinfo'].includes(String((error as { syscall?: unknown }).syscall))
  return error instanceof Error && sentences.test(error.message)
}
