/** What the faults are planted in: PostgreSQL, a bucket, two nodes on both, and a game. Every line between them can be disturbed. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { type Database, openDatabase } from '../../apps/server/src/db/database.ts'
import { startEmbedded } from '../../apps/server/src/db/embedded.ts'
import { bucketSettings, startBucket } from '../../apps/server/test/bucket-server.ts'
import { freePort } from '../../e2e/platform.ts'
import { newLedger } from './ledger.ts'
import { type Line, openLine } from './line.ts'
import { childrenOf, makeNode, type Node } from './nodes.ts'
import { openSession, type Played } from './players.ts'

export interface Scene {
  readonly nodes: readonly Node[]
  /** Past the line, for what looks and for what breaks. */
  readonly database: Database
  /** Pid of the postmaster, and of all its processes. */
  readonly postmaster: () => number
  readonly postgres: () => number[]
  readonly lines: { readonly database: Line; readonly bucket: Line }
  /** Folders on file systems of 256 MB; null: there are none. */
  readonly small: { readonly data: string; readonly database: string } | null
  readonly settings: Readonly<Record<string, string>>
  readonly played: Played
  close(): Promise<void>
}

/** `nodes`: how many; `small`: on file systems of 256 MB, as root. */
export async function openScene({ nodes: count = 2, small = false, challenges = 12 } = {}): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-chaos-'))
  chmodSync(folder, 0o755)
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one()
  }
  try {
    const places = { data: join(folder, 'data'), database: join(folder, 'db') }
    for (const place of Object.values(places)) mkdirSync(place)
    const mounted = small ? Object.values(places).map((place) => mountSmall(place)) : []
    for (const unmount of mounted) if (unmount) closing.push(unmount)
    const isSmall = small && mounted.every((unmount) => unmount !== null)

    const embedded = await startEmbedded({ dataDir: places.database, printLine: () => undefined })
    closing.push(embedded.stop)
    const database = await openDatabase({ source: embedded.connection, poolSize: 4 })
    closing.push(database.close)
    const pidFile = join(embedded.location, 'pg18/postmaster.pid')
    const postmaster = () => Number.parseInt(readFileSync(pidFile, 'utf8'), 10)

    const bucket = await startBucket(join(folder, 'bucket'))
    closing.push(bucket.close)
    const lines = {
      database: await openLine({ path: join(embedded.connection.host, '.s.PGSQL.5432') }),
      bucket: await openLine({ port: bucket.port, host: '127.0.0.1' }),
    }
    closing.push(lines.database.close, lines.bucket.close)
    const settings = {
      ...bucketSettings(lines.bucket.port),
      DATABASE_URL: `postgres://vexil@127.0.0.1:${lines.database.port}/vexil`,
      ADMIN_PASSWORD: 'Correct-Horse-9',
      DISABLE_RATE_LIMIT: 'true',
      VEXIL_DATABASE_POOL: '10',
      VEXIL_DRAIN_SECONDS: '1',
      SECRET_KEY: 'a secret key for measurements only',
      LOG_LEVEL: 'fatal',
    }
    const nodes: Node[] = []
    for (let at = 0; at < count; at++) {
      const own = {
        PORT: String(await freePort()),
        DATA_DIR: join(places.data, String(at)),
        VEXIL_PROCESSES: at === 0 ? '2' : '1',
      }
      const node = makeNode({ ...settings, ...own, VEXIL_NODE_URL: `http://127.0.0.1:${own.PORT}` })
      nodes.push(node)
      closing.push(node.stop)
      await node.start()
    }
    const game = await makeGame(nodes[0] as Node, challenges)
    const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#446688' } })
      .png()
      .toBuffer()
    return {
      nodes,
      database,
      postmaster,
      postgres: () => [postmaster(), ...childrenOf(postmaster())],
      lines,
      small: isSmall ? places : null,
      settings: { ...settings, DATA_DIR: join(places.data, '0') },
      played: { ...game, urls: nodes.map(({ url }) => url), ledger: newLedger(), picture },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Null where it cannot be mounted. The function unmounts it. */
function mountSmall(place: string): (() => void) | null {
  const image = `${place}.img`
  const run = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0
  const isMounted =
    process.getuid?.() === 0 &&
    run('truncate', '-s', '256M', image) &&
    run('mkfs.ext4', '-q', '-m', '0', image) &&
    run('mount', '-o', 'loop', image, place)
  if (!isMounted) return null
  chmodSync(place, 0o755)
  return () => void run('umount', '-l', place)
}

async function makeGame({ url }: Node, number: number): Promise<Pick<Played, 'game' | 'challenges'>> {
  const admin = openSession(() => url)
  const ask = async (method: string, path: string, body: unknown) => {
    const answer = await admin(method, path, body)
    if (answer?.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer.body
  }
  await ask('POST', '/api/account/login', { userName: 'Admin', password: 'Correct-Horse-9' })
  const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
  const { id: game } = await ask('POST', '/api/edit/games', {
    title: 'Chaos',
    acceptWithoutReview: true,
    start: at(-2),
    end: at(10),
  })
  const challenges: { id: number; flag: string }[] = []
  for (let place = 0; place < number; place++) {
    const path = `/api/edit/games/${game}/challenges`
    const { id } = await ask('POST', path, { title: `Challenge ${place}` })
    const flag = `flag{chaos_${place}}`
    await ask('POST', `${path}/${id}/flags`, [{ flag }])
    await ask('PUT', `${path}/${id}`, { isEnabled: true })
    challenges.push({ id, flag })
  }
  return { game, challenges }
}
