// Waits: for ten seconds without a heartbeat.
/** Processes of a node that hang without ending: a signal stops them, as a fault in a system call or a loop would (decision 0033). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'
import { commandOf, doorsTo, furtherOf, runs } from './node-processes.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const soon = { timeout: 60_000, interval: 50 }
const root = join(import.meta.dirname, '../../..')

describe.runIf(process.platform === 'linux')('three processes below the start script', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-hung-'))
  let url: string
  let supervisor: ReturnType<typeof spawn>
  let output = ''

  const first = () =>
    readFileSync(`/proc/${supervisor.pid}/task/${supervisor.pid}/children`, 'utf8')
      .split(' ')
      .map(Number)
      .find((pid) => commandOf(pid).includes('src/main.ts'))

  /** All three processes, as soon as they run and answer; the first of them is not `before`. */
  async function all(before = 0): Promise<number[]> {
    const pids = await vi.waitFor(() => {
      const pid = first()
      const found = pid === undefined || pid === before ? [] : [pid, ...furtherOf(pid)]
      if (found.length < 3) throw new Error(`there are not three processes:\n${output}`)
      return found
    }, soon)
    for (const door of await doorsTo(url, pids)) door.close()
    return pids
  }

  beforeAll(async () => {
    const port = String(await freePort())
    url = `http://127.0.0.1:${port}`
    const settings = { PORT: port, HOST: '127.0.0.1', DATA_DIR: dataDir, VEXIL_DRAIN_SECONDS: '0', VEXIL_PROCESSES: '3' }
    supervisor = spawn(process.execPath, [join(root, 'scripts/serve.mjs')], {
      env: { ...process.env, ...settings, ADMIN_PASSWORD: 'Correct-Horse-9' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [supervisor.stdout, supervisor.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk))
  })
  afterAll(async () => {
    supervisor.kill('SIGTERM')
    if (supervisor.exitCode === null) await once(supervisor, 'exit')
    rmSync(dataDir, { recursive: true, force: true })
  })

  test('a worker process that hangs is killed and replaced, and all connections are served again', async () => {
    const [one, hung, other] = await all()
    process.kill(hung as number, 'SIGSTOP')
    await vi.waitFor(() => expect(runs(hung as number)).toBe(false), soon)
    await vi.waitFor(() => expect(output).toContain('A worker process does not respond. Killing it.'), soon)
    const now = await all()
    expect([now.includes(one as number), now.includes(other as number), now.includes(hung as number)]).toEqual([
      true,
      true,
      false,
    ])
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => fetch(`${url}/healthz`, { headers: { connection: 'close' } })),
    )
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  })

  test('while the first process hangs the others refuse limited requests, before it is killed; the start script restarts it', async () => {
    const pids = await all()
    const [hung] = pids as [number]
    const doors = (await doorsTo(url, pids)).slice(1)
    process.kill(hung, 'SIGSTOP')
    const body = { userName: 'Admin', password: 'Correct-Horse-9' }
    const ask = { body, headers: { 'x-forwarded-for': '203.0.113.7' } }
    const refused = await Promise.all(doors.map((door) => door.ask('POST', '/api/account/login', ask)))
    expect(refused.map((answer) => [answer.status, answer.body.code])).toEqual(doors.map(() => [503, 'server.unavailable']))
    expect(refused.map(({ headers }) => headers['retry-after'])).toEqual(doors.map(() => '1'))
    // They were not refused because the process had ended.
    expect([runs(hung), first()]).toEqual([true, hung])
    for (const door of doors) door.close()
    const again = await all(hung)
    await vi.waitFor(() => expect(output).toContain('The process does not respond. Killing it.'), soon)
    const [door] = await doorsTo(url, again.slice(1))
    expect((await door?.ask('POST', '/api/account/login', ask))?.status).toBe(200)
    door?.close()
  })
})
