/** Three nodes behind a proxy: one PostgreSQL 15, to which each node has a line that can be cut, a shared folder of files, and a game. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Database, openDatabase } from '../../apps/server/src/db/database.ts'
import { freePort } from '../../e2e/platform.ts'
import { type Seeded, seed } from '../bench/seed.ts'
import { type Line, openLine } from '../chaos/line.ts'
import { makeNode, type Node } from '../chaos/nodes.ts'
import type { LoadBalancer, ProxyKind } from './proxy.ts'

export interface Site {
  readonly nodes: readonly Node[]
  /** The line from each node to the database. */
  readonly lines: readonly Line[]
  readonly proxy: LoadBalancer
  /** A connection without the lines. */
  readonly database: Database
  readonly seeded: Seeded
  /** Settings for `vexil` commands. */
  readonly settings: Readonly<Record<string, string>>
  close(): Promise<void>
}

const count = 3

/** Number of the last solve. */
export const headOf = async ({ database: { db }, seeded }: Site) =>
  Number((await sql<{ head: number }>`select head from solve_logs where game_id = ${seeded.game}`.execute(db)).rows[0]?.head)

/** `url`: the address of a database on a socket in the folder `host`. */
export async function openSite(
  url: string,
  { teams, kind }: { readonly teams: number; readonly kind: ProxyKind },
): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-site-'))
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one()
  }
  try {
    mkdirSync(join(folder, 'files'))
    const proxyPort = await freePort()
    const common = {
      PUBLIC_URL: `http://127.0.0.1:${proxyPort}`,
      TRUSTED_PROXIES: '127.0.0.1',
      VEXIL_FILES_DIR: join(folder, 'files'),
      ADMIN_PASSWORD: 'Correct-Horse-9',
      DISABLE_RATE_LIMIT: 'true',
      VEXIL_DATABASE_POOL: '10',
      VEXIL_DRAIN_SECONDS: '4',
      VEXIL_DRAIN_HUB_SECONDS: '5',
      VEXIL_DRAIN_PROXY_SECONDS: '1',
      SECRET_KEY: 'a secret key for measurements only',
      LOG_LEVEL: 'error',
    }
    const lines: Line[] = []
    const nodes: Node[] = []
    for (let at = 0; at < count; at++) {
      const line = await openLine({ path: join(new URL(url).searchParams.get('host') ?? '', '.s.PGSQL.5432') })
      lines.push(line)
      closing.push(line.close)
      const PORT = String(await freePort())
      const own = { PORT, DATA_DIR: join(folder, String(at)), VEXIL_NODE_URL: `http://127.0.0.1:${PORT}` }
      const node = makeNode({ ...common, ...own, DATABASE_URL: `postgres://vexil@127.0.0.1:${line.port}/postgres` })
      nodes.push(node)
      closing.push(node.stop)
    }
    for (const node of nodes) await node.start()
    const database = await openDatabase({ source: { url }, poolSize: 4 })
    closing.push(database.close)
    const seeded = await seed(database.db, { teams, challenges: 50, solves: teams * 6 })
    const proxy = await kind.start(
      folder,
      proxyPort,
      nodes.map((node) => node.url),
    )
    closing.push(proxy.stop)
    const settings = { ...common, DATABASE_URL: url, DATA_DIR: join(folder, '0') }
    return { nodes, lines, proxy, database, seeded, settings, close }
  } catch (error) {
    await close()
    throw error
  }
}
