/** One or more nodes of the platform on one database, asked directly or over real sockets. */
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSession } from '../src/accounts/sessions.ts'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import type { Db } from '../src/db/transaction.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { freshDatabase } from './database.ts'
import type { Answer } from './platform.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Calls of one person; each names the node that it goes to. */
export type Ask = (node: number, method: Method, url: string, body?: unknown) => Promise<Answer>

export interface Nodes {
  readonly db: Db
  readonly count: number
  /** null: nobody. */
  as(accountId: string | null): Promise<Ask>
  stop(): Promise<void>
}

export interface NodesOptions {
  readonly count: number
  readonly sockets: boolean
}

/** Nodes share nothing but the database and the data folder; each has a pool of 20 and, where there are several, the bus of PostgreSQL. */
export async function startNodes({ count, sockets }: NodesOptions): Promise<Nodes> {
  const shared = await freshDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-nodes-'))
  const config = readConfig({
    DATA_DIR: dataDir,
    DISABLE_RATE_LIMIT: 'true',
    LOG_LEVEL: 'error',
    SECRET_KEY: 'test secret key of 32 characters',
    ...(count > 1 && { DATABASE_URL: shared.url }),
  })
  const databases: Database[] = []
  const apps: App[] = []
  for (let node = 0; node < count; node++) {
    const database = node === 0 ? shared : await openDatabase({ source: { url: shared.url }, poolSize: 20 })
    databases.push(database)
    const built = await buildApp({ config, database, note: () => {} })
    if (sockets) await built.app.listen({ port: 0, host: '127.0.0.1' })
    else await built.app.ready()
    apps.push(built)
  }

  const overSocket = async (app: App, method: Method, url: string, headers: Record<string, string>, payload?: string) => {
    const { port } = app.app.server.address() as AddressInfo
    const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
      method,
      headers,
      ...(payload !== undefined && { body: payload }),
    })
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
  }
  const directly = async (app: App, method: Method, url: string, headers: Record<string, string>, payload?: string) => {
    const answer = await app.app.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
    return { status: answer.statusCode, headers: answer.headers as Record<string, unknown>, text: answer.payload }
  }

  return {
    db: shared.db,
    count,
    async as(accountId) {
      const cookie = accountId === null ? null : `${cookieName}=${await startSession(shared.db, accountId)}`
      return async (node, method, url, body) => {
        const app = apps[node % count] as App
        const payload = body === undefined ? undefined : JSON.stringify(body)
        const headers = {
          'accept-encoding': 'identity',
          ...(cookie && { cookie }),
          ...(payload !== undefined && { 'content-type': 'application/json' }),
        }
        const { text, ...answer } = await (sockets ? overSocket : directly)(app, method, url, headers, payload)
        const content = String(answer.headers['content-type'] ?? '').includes('json') && text ? JSON.parse(text) : text
        return { ...answer, body: content, error: content }
      }
    },
    async stop() {
      for (const app of apps) await app.close()
      for (const database of databases.slice(1)) await database.close()
      await shared.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
