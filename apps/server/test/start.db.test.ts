// Waits: for platforms that start.
/** What an operator sees when the platform cannot start, and after it was killed. */
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect, test, vi } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'
import { compiledFolder } from '../src/compiled-code.ts'
import { listMigrations } from '../src/db/migrate.ts'
import { freshDatabase } from './database.ts'
import { startsIn } from './launch.ts'
import { portsOf } from './node-processes.ts'

const { folder, launch, serve, refusal } = startsIn()
type Started = Awaited<ReturnType<typeof launch>>

test('a bad variable is reported', async () => {
  expect(await refusal({ LOG_LEVEL: 'loud' })).toMatch(/^LOG_LEVEL must be one of/)
})

test('a port in use is reported', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const dataDir = join(folder, 'port')
  const start = async () =>
    expect(await refusal({ PORT: String(port), DATA_DIR: dataDir })).toBe(
      `Port ${port} on 127.0.0.1 is in use by another program: stop it, or set PORT to another port.`,
    )
  await start()
  await start()
  expect(readdirSync(compiledFolder({ DATA_DIR: dataDir }) as string, { recursive: true }).length).toBeGreaterThan(100)
  server.close()
})

test('a data folder that cannot be created is reported', async () => {
  writeFileSync(join(folder, 'file'), '')
  expect(await refusal({ DATA_DIR: join(folder, 'file/data') })).toMatch(/^The data folder .* cannot be used: /)
  if (process.platform === 'linux')
    expect(await refusal({ DATA_DIR: '/proc/vexil' })).toMatch(/cannot be used: it cannot be created there\.$/)
})

test('a folder with other files is left unchanged', async () => {
  mkdirSync(join(folder, 'home'))
  writeFileSync(join(folder, 'home/letter.txt'), '')
  expect(await refusal({ DATA_DIR: join(folder, 'home') })).toMatch(/contains other files \(such as letter\.txt\)/)
})

test('an unreachable database is reported without its password, and the start can be retried', async () => {
  const port = await freePort()
  const output = await refusal(
    { DATABASE_URL: `postgres://me:hush@127.0.0.1:${port}/ctf`, DATA_DIR: join(folder, 'outside') },
    75,
  )
  expect(output).toMatch(new RegExp(`^The database at 127\\.0\\.0\\.1:${port}/ctf \\(DATABASE_URL\\) cannot be reached: `))
  expect(output).not.toContain('hush')
})

test('with VEXIL_MIGRATE=never nothing listens until the schema is upgraded, and a stop does not wait for it', async () => {
  const database = await freshDatabase()
  const last = listMigrations().at(-1)!
  const env = { DATABASE_URL: database.url, VEXIL_MIGRATE: 'never' }
  await database.pool.query('delete from migrations where name = $1', [last.name])
  const starts = await Promise.all([1, 2].map((node) => launch({ ...env, DATA_DIR: join(folder, `waits-${node}`) })))
  const line = 'Waiting for "vexil migrate": 1 pending (VEXIL_MIGRATE=never).'
  await vi.waitFor(() => expect(starts.map(({ output }) => output.out.trim())).toEqual([line, line]), { timeout: 100_000 })
  const [stopped, node] = starts as [Started, Started]
  await expect(fetch(`http://127.0.0.1:${node.port}/healthz`)).rejects.toThrow()
  stopped.child.kill('SIGTERM')
  expect((await stopped.ended).code).toBe(0)
  await database.pool.query('insert into migrations (name, hash) values ($1, $2)', [last.name, last.hash])
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${node.port}/healthz/ready`)).status).toBe(200), {
    timeout: 100_000,
  })
  node.child.kill('SIGTERM')
  expect((await node.ended).code).toBe(0)
  await database.drop()
})

test('a cluster of another major version is left unchanged', async () => {
  const cluster = join(folder, 'older/pg17')
  mkdirSync(cluster, { recursive: true })
  writeFileSync(join(cluster, 'PG_VERSION'), '17\n')
  expect(await refusal({ DATA_DIR: join(folder, 'older') })).toMatch(/was created by PostgreSQL 17, this release includes 18/)
  expect(readFileSync(join(cluster, 'PG_VERSION'), 'utf8')).toBe('17\n')
})

test.runIf(process.platform === 'linux')(
  'killing the platform stops its database, and Ctrl-C during the start ends it',
  async () => {
    const dataDir = join(folder, 'alone')
    const { child, pid, port, ended } = await serve({ DATA_DIR: dataDir })
    // Without VEXIL_METRICS no other port.
    expect(portsOf(Number(pid))).toEqual([Number(port)])
    child.kill('SIGKILL')
    await ended
    const next = await serve({ DATA_DIR: dataDir })
    next.child.kill('SIGTERM')
    expect((await next.ended).code).toBe(0)
    const early = await launch({ DATA_DIR: dataDir })
    await sleep(150)
    early.child.kill('SIGINT')
    expect((await early.ended).code).not.toBe(2)
  },
)

/** A request that has begun: its head and a part of its body. */
async function begun(port: string, head: string, part = '') {
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk))
  await once(socket, 'connect')
  socket.write(`${head}${part}`)
  return {
    /** Sends the rest, waits for the whole answer (JSON, or Healthy or not), and disconnects. */
    async finish(rest: string) {
      socket.write(rest)
      await vi.waitFor(() => expect(answer).toMatch(/\r\n\r\n.*[}y]$/s), 100_000)
      socket.destroy()
      return answer
    },
  }
}
const aBody = '{"userName":"nobody","password":"anchors"}'
const signIn = `POST /api/account/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${aBody.length}\r\n\r\n`

test.each(['uncaughtException', 'unhandledRejection'])(
  'after an unexpected fault (%s) it completes running requests, accepts no new ones and ends with 70; a second fault interrupts nothing',
  async (kind) => {
    const faulty = join(folder, `faulty-${kind}.mjs`)
    const fault =
      kind === 'uncaughtException'
        ? "setTimeout(() => { throw new Error('planted fault') })"
        : "Promise.reject(new Error('planted fault'))"
    writeFileSync(faulty, `process.on('SIGUSR2', () => { ${fault} })`)
    const env = { ADMIN_PASSWORD: 'Correct-Horse-9', VEXIL_DRAIN_SECONDS: '0' }
    const { child, port, output, ended } = await serve(env, ['--import', pathToFileURL(faulty).href])
    const signing = await begun(port, signIn, aBody.slice(0, 10))
    const ready = await begun(port, 'GET /healthz/ready HTTP/1.1\r\nHost: x\r\n')
    // Everything that was sent before this request has been read when it is answered.
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
    child.kill('SIGUSR2')
    await vi.waitFor(() => expect(output.err.match(/planted fault/g)).toHaveLength(1), 5000)
    expect(await ready.finish('\r\n')).toMatch(/^HTTP\/1.1 503 /)
    child.kill('SIGUSR2')
    await vi.waitFor(() => expect(output.err.match(/planted fault/g)).toHaveLength(2), 5000)
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
    const answer = await signing.finish(aBody.slice(10))
    expect(answer).toMatch(/^HTTP\/1.1 401 /)
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ status: 401 })
    expect((await ended).code).toBe(70)
  },
)

test('a stop between the first listening and the end of the start still completes a request', async () => {
  const database = await freshDatabase()
  const holder = await database.pool.connect()
  // On a busy machine the start takes longer than a session may be idle in a transaction.
  await holder.query('begin; set local idle_in_transaction_session_timeout = 0; lock table nodes')
  const env = { DATABASE_URL: database.url, DATA_DIR: join(folder, 'early stop'), ADMIN_PASSWORD: 'Correct-Horse-9' }
  // `vexil serve` in the image.
  const program = [join(import.meta.dirname, '../src/cli/main.ts'), 'serve']
  const { child, port, output, ended } = await launch(env, [], undefined, program)
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200), { timeout: 100_000 })
  const signing = await begun(port, signIn, aBody.slice(0, 10))
  child.kill('SIGTERM')
  await sleep(300)
  await holder.query('commit')
  expect(await signing.finish(aBody.slice(10))).toMatch(/^HTTP\/1.1 401 /)
  expect((await ended).code).toBe(0)
  expect(output.out).not.toContain('Ctrl-C')
  holder.release()
  await database.drop()
})

test.runIf(process.platform === 'linux').each([
  [2048, /^ {2}Files +only 2048 can be open at once, including connections; 4096 or more recommended \(ulimit -n\)$/m],
  [4096, null],
])(
  'with %i open files permitted the start block warns if they are few, and if Node runs as root; closing the terminal ends the platform like SIGTERM',
  async (files, warning) => {
    const { pid, port, output, ended } = await serve({}, [], files)
    expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(new RegExp(`^Max open files +${files} `, 'm'))
    if (warning) expect(output.out).toMatch(warning)
    else expect(output.out).not.toContain('Files')
    if (process.getuid?.() === 0) expect(output.out).toMatch(/^ {2}User +node runs as root/m)
    const database = Number.parseInt(readFileSync(join(folder, 'data/pg18/postmaster.pid'), 'utf8'), 10)
    process.kill(pid as number, 'SIGHUP')
    expect((await ended).code).toBe(0)
    expect(existsSync(`/proc/${database}`)).toBe(false)
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
  },
)

test.runIf(process.platform === 'linux')(
  'systemd receives several watchdog notifications per period, and none from a process that hangs',
  async () => {
    const [bin, received] = [join(folder, 'bin'), join(folder, 'heard')]
    mkdirSync(bin)
    writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\necho "$@" >> '${received}'\n`)
    chmodSync(join(bin, 'systemd-notify'), 0o755)
    const signs = () => (existsSync(received) ? readFileSync(received, 'utf8').trim().split('\n') : [])
    const env = { PATH: `${bin}:${process.env.PATH}`, NOTIFY_SOCKET: '/run/false', WATCHDOG_USEC: '1000000' }
    const { child, ended } = await serve(env)
    const before = signs().length
    await vi.waitFor(() => expect(signs().length).toBeGreaterThan(before + 5), 100_000)
    expect(new Set(signs())).toEqual(new Set(['WATCHDOG=1']))
    child.kill('SIGSTOP')
    // Earlier notifications are still passed on; a running process would send seven more in this time.
    let stopped: number
    do {
      stopped = signs().length
      await sleep(1500)
    } while (signs().length > stopped)
    child.kill('SIGCONT')
    await vi.waitFor(() => expect(signs().length).toBeGreaterThan(stopped), 100_000)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  },
)
