/**
 * The only place that creates clients and pools. Each has an `error` listener: otherwise a session that the server ends between queries would end
 * this process; `isConnectionLost` recognises the error at the next use.
 */
import type { Socket } from 'node:net'
import pg from 'pg'
import { codeOf } from '../start-error.ts'
import { isOutdatedPlan, openNames } from './named-statements.ts'

const ignore = () => undefined

/** SQLSTATE of a statement that writes on a standby or on a read-only database. */
export const readOnly = '25006'

const PAUSE_AFTER_FAILURE = 100
/** Time for the answer after the statement timeout. */
const ANSWER_WITHIN = 5_000

/**
 * Ends its connection when the server sends nothing for longer than a statement may take. Keepalive does not notice that the machine of the server
 * is gone while sent bytes are unacknowledged; the system repeats them for 15 minutes.
 */
class LimitedClient extends pg.Client {
  /** Null: statements have no time limit. */
  readonly #timer: NodeJS.Timeout | null
  #isWaiting = false
  #bytesRead = 0

  constructor(settings: pg.ClientConfig) {
    super(settings)
    // Those of the connection string come first, except over 0.
    const { statement_timeout } = (this as unknown as { connectionParameters: pg.ClientConfig }).connectionParameters
    const limit = settings.statement_timeout === 0 ? 0 : Number(statement_timeout)
    this.#timer = limit > 0 ? setTimeout(() => this.#check(), limit + ANSWER_WITHIN).unref() : null
    this.on('drain', () => {
      this.#isWaiting = false
    })
  }

  override query(...args: unknown[]): never {
    if (this.#timer) this.#wait(this.#timer)
    return (super.query as (...statement: unknown[]) => never).apply(this, args)
  }

  get #socket(): Socket {
    return this.connection.stream as Socket
  }

  #wait(timer: NodeJS.Timeout): void {
    this.#isWaiting = true
    this.#bytesRead = this.#socket.bytesRead
    timer.refresh()
  }

  #check(): void {
    const before = this.#bytesRead
    // What arrived while this process was stopped is read first.
    setImmediate(() => {
      if (!this.#isWaiting) return
      if (this.#socket.bytesRead !== before) this.#wait(this.#timer!)
      else this.#socket.destroy(Object.assign(new Error('The database did not answer'), { code: 'ETIMEDOUT' }))
    })
  }
}

/** The caller ends the client, and listens to `end` to notice a break without a statement. */
export async function openClient(settings: pg.ClientConfig): Promise<pg.Client> {
  const client = new LimitedClient(settings)
  client.on('error', ignore)
  await client.connect()
  // The role or the connection string may have a limit.
  if (settings.statement_timeout === 0) await client.query('set statement_timeout = 0')
  return client
}

/** A pool that replaces broken connections at the next use. The caller ends it. */
export function openPool(settings: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...settings, Client: delayingClient() })
  pool.on('error', ignore)
  pool.on('connect', (client) => void client.on('error', ignore))
  const refusing = new WeakSet<pg.PoolClient>()
  pool.on('connect', (client) => {
    client.connection.on('errorMessage', ({ code }: pg.DatabaseError) => code === readOnly && refusing.add(client))
  })
  // After a fail-over the address may be that of another server.
  pool.on('release', (_error, client) => {
    if (refusing.has(client)) void client.end()
  })
  return pool
}

/** Requests within the delay fail with the last error: otherwise a recovering server would spend its time refusing connections. */
function delayingClient(): typeof pg.Client {
  const names = openNames()
  let failed = { at: Number.NEGATIVE_INFINITY, error: new Error() }
  return class extends LimitedClient {
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
    override query(...args: unknown[]): never {
      const run = super.query.bind(this) as (...statement: unknown[]) => unknown
      const [text, values, done] = args
      if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0 || done) return run(...args) as never
      const name = names.of(text)
      if (name === undefined) return run(text, values) as never
      const changes = this.#changes
      const answer = run({ name: changes === 0 ? name : `${name}_${changes}`, text, values }) as Promise<unknown>
      return answer.catch((error: unknown) => {
        if (!isOutdatedPlan(error)) throw error
        this.#changes = changes + 1
        // In an aborted transaction this fails too; then the first error has the cause.
        return (run(text, values) as Promise<unknown>).catch(() => Promise.reject(error))
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
