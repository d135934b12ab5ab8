/** One or more nodes of the platform on one database: a single node is called directly, several are separate processes, called over real sockets. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPlatform } from '../../../e2e/platform.ts'
import { startSession } from '../src/accounts/sessions.ts'
import { buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { Db } from '../src/db/transaction.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { freshDatabase, type TestDatabase } from './database.ts'
import type { Answer } from './platform.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Calls of one person; each names its node. */
export type Ask = (node: number, method: Method, url: string, body?: unknown) => Promise<Answer>

export interface Nodes {
  readonly db: Db
  readonly count: number
  /** null: a visitor. */
  as(accountId: string | null): Promise<Ask>
  stop(): Promise<void>
}

interface Node {
  ask(method: Method, url: string, headers: Record<string, string>, payload?: string): Promise<Answered>
  stop(): Promise<void>
}

interface Answered {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly text: string
}

type Env = Readonly<Record<string, string>>

const settings = {
  DISABLE_RATE_LIMIT: 'true',
  LOG_LEVEL: 'error',
  SECRET_KEY: 'test secret key of 32 characters',
  VEXIL_DATABASE_POOL: '20',
}

/** The application in this process. */
async function direct(database: TestDatabase, env: Env): Promise<Node> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-nodes-'))
  const built = await buildApp({ config: readConfig({ ...settings, ...env, DATA_DIR: dataDir }), database, printLine: () => {} })
  await built.app.ready()
  return {
    async ask(method, url, headers, payload) {
      const answer = await built.app.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
      return { status: answer.statusCode, headers: answer.headers, text: answer.payload }
    },
    async stop() {
      await built.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** A process with a pool of 20 and the bus of PostgreSQL; it shares only the database with other nodes. */
async function process(database: TestDatabase, env: Env): Promise<Node> {
  const platform = await startPlatform({ env: { ...settings, ...env, DATABASE_URL: database.url } })
  return {
    async ask(method, url, headers, payload) {
      const answer = await fetch(platform.url + url, { method, headers, ...(payload !== undefined && { body: payload }) })
      return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
    },
    stop: platform.stop,
  }
}

/** One node is called directly, more are processes; `env` is added to their settings. */
export async function startNodes(count: number, env: Env = {}): Promise<Nodes> {
  const database = await freshDatabase()
  const nodes: Node[] = []
  for (let node = 0; node < count; node++) nodes.push(await (count === 1 ? direct : process)(database, env))
  return {
    db: database.db,
    count,
    async as(accountId) {
      const cookie = accountId === null ? null : `${cookieName}=${await startSession(database.db, accountId)}`
      return async (node, method, url, body) => {
        const payload = body === undefined ? undefined : JSON.stringify(body)
        const headers = {
          'accept-encoding': 'identity',
          ...(cookie && { cookie }),
          ...(payload !== undefined && { 'content-type': 'application/json' }),
        }
        const { text, ...answer } = await (nodes[node % count] as Node).ask(method, url, headers, payload)
        const content = String(answer.headers['content-type'] ?? '').includes('json') && text ? JSON.parse(text) : text
        return { ...answer, body: content, error: content }
      }
    },
    async stop() {
      for (const node of nodes) await node.stop()
      await database.drop()
    },
  }
}
