/** The whole application on a separate database, called without a socket. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ErrorBody } from '@vexil/contract/errors'
import type { InjectOptions } from 'fastify'
import type { Kysely } from 'kysely'
import { startSession } from '../src/accounts/sessions.ts'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { Db } from '../src/db/transaction.ts'
import { withDemoFiles } from '../src/demo/game.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import type { Engine } from '../src/ports/engine/engine.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import { mustBeAsDescribed, mustBeRefusedAsDescribed, mustHaveDescribedType } from './described.ts'
import { forbidInTransactions, watchTransactions } from './transaction-guard.ts'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  readonly body: any
  readonly headers: Record<string, unknown>
  readonly error: ErrorBody
}

/** Calls as one account (or a visitor). A body that is not a string is sent as JSON. */
export interface Caller {
  get(url: string, headers?: Record<string, string>): Promise<Answer>
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  put(url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(url: string, headers?: Record<string, string>): Promise<Answer>
  /** Multipart with one or more files of the same part. */
  upload(
    method: 'POST' | 'PUT',
    url: string,
    part: string,
    files: { name: string; type?: string; bytes: Buffer }[],
  ): Promise<Answer>
}

export interface TestPlatform extends App {
  readonly database: TestDatabase
  readonly db: Db
  readonly dataDir: string
  /** A caller with a session of this account. */
  as(accountId: string): Promise<Caller>
  readonly anyone: Caller
  stop(): Promise<void>
}

/** `env` adds to the configuration; by default rate limits are off. Without an engine there are no containers. */
export async function startTestPlatform(env: Record<string, string> = {}, engine?: Engine): Promise<TestPlatform> {
  const database = await freshDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-test-'))
  const config = readConfig({
    DATA_DIR: dataDir,
    DISABLE_RATE_LIMIT: 'true',
    LOG_LEVEL: 'error',
    VEXIL_DRAIN_SECONDS: '0',
    SECRET_KEY: 'test secret key of 32 characters',
    ...env,
  })
  watchTransactions(database.db as unknown as Kysely<never>)
  const built = await buildApp({ config, database, printLine: () => {}, demo: withDemoFiles, ...(engine && { engine }) })
  const { storage, mailer, captcha, bus, log } = built.deps
  for (const [name, port] of Object.entries({ storage, mailer, captcha, bus, ...(engine && { engine }) }))
    forbidInTransactions(name, port)
  // On a busy machine a process may not run for two seconds, but tests compare the log line by line. stopped-process.test.ts tests the entry.
  const write = log.write.bind(log)
  log.write = (entry) => {
    if (!entry.message.includes(' did not run for ')) write(entry)
  }
  await log.flush()
  await database.db.deleteFrom('logs').where('message', 'like', '% did not run for %').execute()
  await built.app.ready()

  const callerWith = (cookie: string | null): Caller => {
    const ask = async (options: InjectOptions): Promise<Answer> => {
      const reply = await built.app.inject({ ...options, headers: { ...(cookie && { cookie }), ...options.headers } })
      const text = reply.payload
      const json = String(reply.headers['content-type'] ?? '').includes('json')
      const body = json && text ? JSON.parse(text) : text
      const call = [options.method ?? 'GET', String(options.url)] as const
      if (reply.statusCode === 200 || reply.statusCode === 202) {
        if (json) mustBeAsDescribed(...call, body)
        else mustHaveDescribedType(...call, String(reply.headers['content-type'] ?? ''))
      } else if (reply.statusCode >= 400 && json) mustBeRefusedAsDescribed(...call, reply.statusCode, body)
      return { status: reply.statusCode, body, headers: reply.headers, error: body as ErrorBody }
    }
    const withBody =
      (method: 'POST' | 'PUT') =>
      (url: string, body?: unknown, headers: Record<string, string> = {}) =>
        ask({
          method,
          url,
          ...(body !== undefined && { payload: JSON.stringify(body) }),
          headers: { 'content-type': 'application/json', ...headers },
        })
    return {
      get: (url, headers = {}) => ask({ method: 'GET', url, headers }),
      post: withBody('POST'),
      put: withBody('PUT'),
      delete: (url, headers = {}) => ask({ method: 'DELETE', url, headers }),
      upload(method, url, part, files) {
        const boundary = 'vexil-test-boundary'
        const payload = Buffer.concat([
          ...files.flatMap(({ name, type = 'application/octet-stream', bytes }) => [
            Buffer.from(
              `--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`,
            ),
            bytes,
            Buffer.from('\r\n'),
          ]),
          Buffer.from(`--${boundary}--\r\n`),
        ])
        return ask({ method, url, payload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } })
      },
    }
  }

  return {
    ...built,
    database,
    db: database.db,
    dataDir,
    anyone: callerWith(null),
    as: async (accountId) => callerWith(`${cookieName}=${await startSession(database.db, accountId)}`),
    async stop() {
      await built.drain()
      await built.close()
      await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
