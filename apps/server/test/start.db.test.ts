/** What an operator meets when the platform cannot start, and when it was killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test, vi } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'

const MAIN = join(import.meta.dirname, '../src/main.ts')
const folder = mkdtempSync(join(tmpdir(), 'vexil start '))
chmodSync(folder, 0o755)
const children = new Set<ChildProcess>()

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  rmSync(folder, { recursive: true, force: true })
})

/** A platform in a folder of its own, on a port that is free unless one is given. */
async function launch(env: Record<string, string>, args: readonly string[] = [], files?: number) {
  const port = env.PORT ?? String(await freePort())
  const limited = files ? ['-c', `ulimit -n ${files}; exec "$0" "$@"`, process.execPath] : []
  const child = spawn(files ? 'sh' : process.execPath, [...limited, ...args, MAIN], {
    env: { PATH: process.env.PATH, PORT: port, DATA_DIR: join(folder, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  children.add(child)
  const said = { out: '', err: '' }
  child.stdout!.on('data', (chunk: Buffer) => (said.out += chunk))
  child.stderr!.on('data', (chunk: Buffer) => (said.err += chunk))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }))
  return { child, port, said, ended }
}

/** Starts a platform and waits for its first healthy answer. */
async function serve(env: Record<string, string>, args: readonly string[] = [], files?: number) {
  const platform = await launch(env, args, files)
  while ((await fetch(`http://127.0.0.1:${platform.port}/healthz`).catch(() => null))?.status !== 200) {
    if (platform.child.exitCode !== null) throw new Error(platform.said.err)
    await sleep(20)
  }
  return { ...platform, pid: platform.child.pid }
}

async function refusal(env: Record<string, string>, status = 2): Promise<string> {
  const { code, err } = await (await launch(env)).ended
  expect(code).toBe(status)
  // One sentence, and nothing of the inside.
  expect(err.trim().split('\n')).toHaveLength(1)
  return err.trim()
}

test('a bad variable is named', async () => {
  expect(await refusal({ LOG_LEVEL: 'loud' })).toMatch(/^LOG_LEVEL must be one of/)
})

test('a port in use is named', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  expect(await refusal({ PORT: String(port), DATA_DIR: join(folder, 'port') })).toBe(
    `Port ${port} on 127.0.0.1 is in use by another program: stop that one, or choose another with PORT.`,
  )
  server.close()
})

test('a data folder that cannot be made is named', async () => {
  writeFileSync(join(folder, 'file'), '')
  expect(await refusal({ DATA_DIR: join(folder, 'file/data') })).toMatch(/^The data folder .* cannot be used: /)
  if (process.platform === 'linux')
    expect(await refusal({ DATA_DIR: '/proc/vexil' })).toMatch(/cannot be used: it cannot be made there\.$/)
})

test('a folder that holds other things is left alone', async () => {
  mkdirSync(join(folder, 'home'))
  writeFileSync(join(folder, 'home/letter.txt'), '')
  expect(await refusal({ DATA_DIR: join(folder, 'home') })).toMatch(/holds other things \(such as letter\.txt\)/)
})

test('a database that cannot be reached is named, without its password, and the start may be tried again', async () => {
  const port = await freePort()
  const said = await refusal({ DATABASE_URL: `postgres://me:hush@127.0.0.1:${port}/ctf`, DATA_DIR: join(folder, 'outside') }, 75)
  expect(said).toMatch(new RegExp(`^The database at 127\\.0\\.0\\.1:${port}/ctf \\(DATABASE_URL\\) cannot be reached: `))
  expect(said).not.toContain('hush')
})

test('more processes than the database has connections for are refused, and so is one more than sixteen', async () => {
  const many = { VEXIL_PROCESSES: '7', DATA_DIR: join(folder, 'many') }
  expect(await refusal(many)).toBe(
    'VEXIL_DATABASE_POOL is 20, and 10 more connections are needed by each of 7 processes, but the database allows 197.',
  )
  expect(await refusal({ VEXIL_PROCESSES: '17' })).toBe('VEXIL_PROCESSES must be a whole number from 1 to 16, not "17".')
})

test('a port in use is named with several processes too, whose own do not disturb each other', async () => {
  const server = createServer().listen({ port: 0, host: '127.0.0.1', reusePort: true })
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const env = { PORT: String(port), DATA_DIR: join(folder, 'port'), VEXIL_PROCESSES: '2' }
  expect(await refusal(env)).toMatch(/^Port \d+ on 127\.0\.0\.1 is in use by another program/)
  server.close()
})

test('a cluster of another major version is not touched', async () => {
  const cluster = join(folder, 'older/pg17')
  mkdirSync(cluster, { recursive: true })
  writeFileSync(join(cluster, 'PG_VERSION'), '17\n')
  expect(await refusal({ DATA_DIR: join(folder, 'older') })).toMatch(/is of PostgreSQL 17, this release brings 18/)
  expect(readFileSync(join(cluster, 'PG_VERSION'), 'utf8')).toBe('17\n')
})

test('the folder of a running platform is refused, and that one goes on', async () => {
  const first = await serve({ DATA_DIR: join(folder, 'shared') })
  const said = await refusal({ DATA_DIR: join(folder, 'shared') })
  expect(said).toContain(`is in use by a running platform (process ${first.child.pid})`)
  expect((await fetch(`http://127.0.0.1:${first.port}/healthz`)).status).toBe(200)
  first.child.kill('SIGTERM')
  const { code, out } = await first.ended
  expect(code).toBe(0)
  expect(out).toContain(join(folder, 'shared'))
})

test('after a kill of platform and database it starts again, twice', async () => {
  const dataDir = join(folder, 'killed')
  for (let round = 0; round < 2; round++) {
    const { child, ended } = await serve({ DATA_DIR: dataDir })
    const postmaster = Number.parseInt(readFileSync(join(dataDir, 'pg18/postmaster.pid'), 'utf8'), 10)
    process.kill(postmaster, 'SIGKILL')
    child.kill('SIGKILL')
    await ended
  }
  const { child, ended } = await serve({ DATA_DIR: dataDir })
  child.kill('SIGINT')
  expect((await ended).code).toBe(0)
})

test.runIf(process.platform === 'linux')(
  'a killed platform takes its database down, and Ctrl-C while starting ends it',
  async () => {
    const dataDir = join(folder, 'alone')
    const { child, ended } = await serve({ DATA_DIR: dataDir })
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
    /** Sends the rest, waits for the whole answer (JSON, or Healthy or not), and lets go. */
    async finish(rest: string) {
      socket.write(rest)
      await vi.waitFor(() => expect(answer).toMatch(/\r\n\r\n.*[}y]$/s), 10_000)
      socket.destroy()
      return answer
    },
  }
}
const aBody = '{"userName":"nobody","password":"anchors"}'
const signIn = `POST /api/account/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${aBody.length}\r\n\r\n`

test.each(['uncaughtException', 'unhandledRejection'])(
  'after a fault that nobody expected (%s) it answers what has begun, takes nothing new and ends with 70; a second fault cuts nothing short',
  async (kind) => {
    const faulty = join(folder, `faulty-${kind}.mjs`)
    const fault =
      kind === 'uncaughtException'
        ? "setTimeout(() => { throw new Error('planted fault') })"
        : "Promise.reject(new Error('planted fault'))"
    writeFileSync(faulty, `process.on('SIGUSR2', () => { ${fault} })`)
    const env = { DATA_DIR: join(folder, `faults ${kind}`), ADMIN_PASSWORD: 'Correct-Horse-9', VEXIL_DRAIN_SECONDS: '0' }
    const { child, port, said, ended } = await serve(env, ['--import', pathToFileURL(faulty).href])
    const signing = await begun(port, signIn, aBody.slice(0, 10))
    const ready = await begun(port, 'GET /healthz/ready HTTP/1.1\r\nHost: x\r\n')
    await sleep(200)
    child.kill('SIGUSR2')
    await vi.waitFor(() => expect(said.err.match(/planted fault/g)).toHaveLength(1), 5000)
    expect(await ready.finish('\r\n')).toMatch(/^HTTP\/1.1 503 /)
    child.kill('SIGUSR2')
    await vi.waitFor(() => expect(said.err.match(/planted fault/g)).toHaveLength(2), 5000)
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
    const answer = await signing.finish(aBody.slice(10))
    expect(answer).toMatch(/^HTTP\/1.1 401 /)
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ status: 401 })
    expect((await ended).code).toBe(70)
  },
)

test.runIf(process.platform === 'linux').each([
  [2048, /^ {2}Files +only 2048 may be open at once, connections too; 4096 or more are safer \(ulimit -n\)$/m],
  [4096, null],
])(
  'where %i files may be open the start block says so if they are few; a terminal that closes ends the platform as SIGTERM does',
  async (files, warning) => {
    const dataDir = join(folder, `files ${files}`)
    const { pid, port, said, ended } = await serve({ DATA_DIR: dataDir }, [], files)
    expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(new RegExp(`^Max open files +${files} `, 'm'))
    await vi.waitFor(() => expect(said.out).toContain('Ctrl-C'), 10_000)
    if (warning) expect(said.out).toMatch(warning)
    else expect(said.out).not.toContain('Files')
    const database = Number.parseInt(readFileSync(join(dataDir, 'pg18/postmaster.pid'), 'utf8'), 10)
    process.kill(pid as number, 'SIGHUP')
    expect((await ended).code).toBe(0)
    expect(existsSync(`/proc/${database}`)).toBe(false)
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
  },
)

test.runIf(process.platform === 'linux')(
  'systemd hears a sign of life several times in its time, and none of a process that hangs',
  async () => {
    const [bin, heard] = [join(folder, 'bin'), join(folder, 'heard')]
    mkdirSync(bin)
    writeFileSync(join(bin, 'systemd-notify'), `#!/bin/sh\necho "$@" >> '${heard}'\n`)
    chmodSync(join(bin, 'systemd-notify'), 0o755)
    const signs = () => (existsSync(heard) ? readFileSync(heard, 'utf8').trim().split('\n') : [])
    const env = { PATH: `${bin}:${process.env.PATH}`, NOTIFY_SOCKET: '/run/false', WATCHDOG_USEC: '1000000' }
    const { child, ended } = await serve({ DATA_DIR: join(folder, 'watched'), ...env })
    const before = signs().length
    await vi.waitFor(() => expect(signs().length).toBeGreaterThan(before + 5), 20_000)
    expect(new Set(signs())).toEqual(new Set(['WATCHDOG=1']))
    child.kill('SIGSTOP')
    // What was said before is still passed on.
    await sleep(500)
    const stopped = signs().length
    await sleep(1500)
    expect(signs()).toHaveLength(stopped)
    child.kill('SIGCONT')
    await vi.waitFor(() => expect(signs().length).toBeGreaterThan(stopped), 20_000)
    child.kill('SIGTERM')
    expect((await ended).code).toBe(0)
  },
)

test.runIf(process.getuid?.() === 0)('the start block says that node itself runs as root', async () => {
  const { child, ended } = await serve({ DATA_DIR: join(folder, 'by root') })
  child.kill('SIGTERM')
  expect((await ended).out).toMatch(/^ {2}User +node itself runs as root/m)
})
