/** The platform for the faults: PostgreSQL, the services of services.ts, two nodes that use all of them, and a game. Lines between them can be disturbed. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { type Database, openDatabase } from '../../apps/server/src/db/database.ts'
import { startEmbedded } from '../../apps/server/src/db/embedded.ts'
import type { Engine } from '../../apps/server/src/ports/engine/engine.ts'
import type { ReceivedMail } from '../../apps/server/test/mail-server.ts'
import { freePort } from '../../e2e/platform.ts'
import { newLedger } from './ledger.ts'
import { type Line, openLine } from './line.ts'
import { childrenOf, makeNode, type Node } from './nodes.ts'
import { captchaToken, openSession, type Played } from './players.ts'
import { type DockerOfScene, openEngine, openServices } from './services.ts'

export interface Scene {
  readonly nodes: readonly Node[]
  /** A connection without the line, for checks and faults. */
  readonly database: Database
  /** Pid of the postmaster, and of all its processes. */
  readonly postmaster: () => number
  readonly postgres: () => number[]
  readonly lines: Readonly<Record<'database' | 'bucket' | 'mail' | 'captcha', Line>>
  /** Received by the mail server. */
  readonly mails: readonly ReceivedMail[]
  /** Null: there is no engine. */
  readonly engine: { readonly line: Line; readonly pid: number; readonly direct: Engine } | null
  /** Folders on file systems of 256 MB; null: there are no such folders. */
  readonly small: { readonly data: string; readonly database: string } | null
  readonly settings: Readonly<Record<string, string>>
  readonly played: Played
  close(): Promise<void>
}

/** `nodes`: their number; `small`: data on file systems of 256 MB, as root; `engine`: with instances on a Docker engine, as root on Debian. */
export async function openScene({ nodes: count = 2, small = false, engine = false, challenges = 12 } = {}): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-chaos-'))
  chmodSync(folder, 0o755)
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const close = async () => {
    for (const one of closing.splice(0).reverse()) await one()
  }
  // Otherwise a container engine, nodes and mounts would remain.
  const interrupted = () => void close().finally(() => process.exit(130))
  process.once('SIGINT', interrupted)
  closing.push(() => void process.off('SIGINT', interrupted))
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

    const docker = engine ? await openEngine() : null
    if (docker) closing.push(docker.close)
    const services = await openServices(join(folder, 'bucket'))
    closing.push(services.close)
    const line = await openLine({ path: join(embedded.connection.host, '.s.PGSQL.5432') })
    closing.push(line.close)
    const lines = { ...services.lines, database: line }
    const settings = {
      ...services.settings,
      ...docker?.settings,
      DATABASE_URL: `postgres://vexil@127.0.0.1:${lines.database.port}/vexil`,
      ADMIN_PASSWORD: 'Correct-Horse-9',
      DISABLE_RATE_LIMIT: 'true',
      VEXIL_DATABASE_POOL: '10',
      VEXIL_DRAIN_SECONDS: '1',
      SECRET_KEY: 'a secret key for measurements only',
      LOG_LEVEL: 'error',
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
    const game = await makeGame(nodes[0] as Node, challenges, docker?.image ?? null)
    const direct = docker && (await openDirect(docker, database))
    if (direct) closing.push(() => empty(direct))
    const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#446688' } })
      .png()
      .toBuffer()
    return {
      nodes,
      database,
      postmaster,
      postgres: () => [postmaster(), ...childrenOf(postmaster())],
      lines,
      mails: services.mails,
      engine: docker && direct && { line: docker.line, pid: docker.pid, direct },
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

async function openDirect(docker: DockerOfScene, { db }: Database): Promise<Engine> {
  const { engineLabel } = await db.selectFrom('installation').select('engineLabel').executeTakeFirstOrThrow()
  return docker.open(engineLabel as string)
}

async function empty(engine: Engine): Promise<void> {
  await Promise.all((await engine.list()).map(({ id }) => engine.destroy(id)))
  await engine.close()
}

/** Mounts a file system of 256 MB. Returns a function that unmounts it, or null if it cannot be mounted. */
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

type Made = Pick<Played, 'game' | 'challenges' | 'container'>

/** `image`: the image of a challenge with instances; null: no such challenge. Afterwards registrations need a captcha, and recovery mails are sent. */
async function makeGame({ url }: Node, number: number, image: string | null): Promise<Made> {
  const admin = openSession(() => url)
  const ask = async (method: string, path: string, body: unknown) => {
    const answer = await admin(method, path, body)
    if (answer?.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer.body
  }
  await ask('POST', '/api/account/login', { userName: 'Admin', password: 'Correct-Horse-9', challenge: captchaToken })
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
  const container = image === null ? null : await makeContainer(ask, game, image)
  await ask('PUT', '/api/admin/config', { accountPolicy: { useCaptcha: true, emailConfirmationRequired: true } })
  return { game, challenges, container }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type AskAdmin = (method: string, path: string, body: unknown) => Promise<any>

async function makeContainer(ask: AskAdmin, game: number, containerImage: string): Promise<number> {
  const path = `/api/edit/games/${game}/challenges`
  const { id } = await ask('POST', path, { title: 'Instances', type: 'DynamicContainer' })
  const container = { containerImage, containerExposePort: 7000, flagTemplate: 'flag{[GUID]}' }
  await ask('PUT', `${path}/${id}`, { ...container, isEnabled: true })
  return id
}
