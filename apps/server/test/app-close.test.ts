/** The end of a platform: every part is closed, each before the parts that it uses. */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { buildApp } from '../src/app.ts'
import { closesWithin } from '../src/close-parts.ts'
import { readConfig } from '../src/config.ts'
import { freshDatabase } from './database.ts'
import { openMemoryEngine } from './memory-engine.ts'

type Open = (...given: never[]) => unknown
interface Part {
  close(...given: never[]): unknown
}

const closed = vi.hoisted(() => [] as string[])
/** Parts whose close never ends, or `a request`: no request ends. */
const blocked = vi.hoisted(() => new Set<string>())
/** Parts whose close fails. */
const failing = vi.hoisted(() => new Set<string>())
const record = vi.hoisted(() => (name: string, part: Part) => {
  const close = part.close.bind(part)
  return Object.assign(part, {
    close: (...given: never[]) => {
      closed.push(name)
      const result = close(...given)
      if (failing.has(name)) throw new Error(`${name} failed`)
      return blocked.has(name) ? new Promise(() => undefined) : result
    },
  })
})
/** Replaces a function of a module that opens a part: closing the part is recorded. */
const replaced = vi.hoisted(() => async (load: () => Promise<unknown>, open: string, name: string) => {
  const module = (await load()) as Record<string, Open>
  const opened = (...given: never[]) => {
    const part = module[open]!(...given) as Part | Promise<Part>
    return part instanceof Promise ? part.then((one) => record(name, one)) : record(name, part)
  }
  return { ...module, [open]: opened }
})

vi.mock('../src/metrics/process-metrics.ts', (load) => replaced(load, 'openProcessMetrics', 'metrics'))
vi.mock('../src/db/database-refusals.ts', (load) => replaced(load, 'watchRefusals', 'refusals'))
vi.mock('../src/http/health.ts', async (load) => {
  const { healthRoutes } = (await load()) as { healthRoutes: (...given: unknown[]) => { drain(): void } }
  return {
    healthRoutes: (...given: unknown[]) => {
      const health = healthRoutes(...given)
      return {
        drain: () => {
          closed.push('ready')
          health.drain()
        },
      }
    },
  }
})
vi.mock('../src/instances/tls.routes.ts', () => ({ openTlsEntry: () => record('TLS', { close: () => undefined }) }))
vi.mock('../src/site/site.live.ts', (load) => replaced(load, 'siteLive', 'site'))
vi.mock('../src/http/live.ts', (load) => replaced(load, 'openLive', 'hubs'))
vi.mock('../src/instances/tunnels.ts', (load) => replaced(load, 'openTunnels', 'tunnels'))
vi.mock('../src/instances/starts.ts', (load) => replaced(load, 'openStarts', 'starts'))
vi.mock('../src/sweeps.ts', (load) => replaced(load, 'openSweeps', 'sweeps'))
vi.mock('../src/instances/instance-sweeper.ts', (load) => replaced(load, 'startInstanceSweeper', 'instances'))
vi.mock('../src/instances/instances.live.ts', (load) => replaced(load, 'instancesLive', 'pushes'))
vi.mock('../src/submissions/submissions.live.ts', (load) => replaced(load, 'submissionsLive', 'submissions'))
vi.mock('../src/accounts/visits.ts', (load) => replaced(load, 'openVisits', 'visits'))
vi.mock('../src/submissions/attempts.ts', (load) => replaced(load, 'openAttempts', 'attempts'))
vi.mock('../src/scoreboard/scoreboard.live.ts', (load) => replaced(load, 'liveBoards', 'boards'))
vi.mock('../src/health/node-reports.ts', (load) => replaced(load, 'openNodeReports', 'node reports'))
vi.mock('../src/instances/ready-watch.ts', (load) => replaced(load, 'openReadyWatch', 'ready watch'))
vi.mock('../src/instances/solver-checks.ts', (load) => replaced(load, 'openSolverChecks', 'solver checks'))
vi.mock('../src/instances/forget-captures.ts', (load) => replaced(load, 'forgetCaptures', 'captures'))
vi.mock('../src/instances/move-captures.ts', (load) => replaced(load, 'moveCaptures', 'capture moves'))
vi.mock('../src/files/release-file.ts', (load) => replaced(load, 'keepReleasing', 'releases'))

const inOrder = [
  ...['metrics', 'refusals', 'ready', 'port', 'TLS', 'site', 'hubs', 'tunnels', 'requests', 'starts', 'sweeps', 'instances'],
  ...['pushes', 'submissions', 'visits', 'attempts', 'boards', 'node reports', 'ready watch', 'solver checks', 'captures'],
  ...['capture moves', 'releases', 'jobs', 'engine', 'mailer', 'log', 'bus', 'versions'],
]

async function aPlatform() {
  closed.length = 0
  const database = await freshDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'vexil-close-'))
  for (const name of ['data', 'backups']) mkdirSync(join(folder, name))
  const config = readConfig({
    DATA_DIR: join(folder, 'data'),
    LOG_LEVEL: 'silent',
    VEXIL_BACKUP_DIR: join(folder, 'backups'),
    VEXIL_METRICS: '127.0.0.1:9',
    VEXIL_CONTAINER_PORTS: 'PlatformProxy',
    VEXIL_CONTAINER_TLS: '*.tcp.example.net:8443',
    VEXIL_CONTAINER_TLS_LISTEN: '127.0.0.1:9',
    VEXIL_CONTAINER_TLS_CERT: '/cert.pem',
    VEXIL_CONTAINER_TLS_KEY: '/key.pem',
  })
  const { app, deps, close } = await buildApp({ config, database, printLine: () => undefined, engine: openMemoryEngine() })
  for (const name of ['jobs', 'engine', 'mailer', 'log', 'bus', 'versions'] as const) record(name, deps[name])
  app.addHook('onRequest', (_request, _reply, done) => void (blocked.has('a request') || done()))
  app.addHook('onClose', async () => void closed.push('requests'))
  await app.listen({ port: 0, host: '127.0.0.1' })
  record('port', app.server)
  const drop = async () => {
    await database.drop()
    rmSync(folder, { recursive: true })
  }
  return { app, close, drop }
}

test('a platform closes each of its parts, the port first and the database connections last', async () => {
  const { close, drop } = await aPlatform()
  await close()
  expect([...new Set(closed)]).toEqual(inOrder)
  expect(closed.filter((name) => name === 'sweeps')).toHaveLength(2)
  await drop()
})

test('parts that fail to close keep no other part open, and are reported', async () => {
  const { app, close, drop } = await aPlatform()
  const error = vi.spyOn(app.log, 'error').mockImplementation(() => undefined)
  for (const name of ['starts', 'captures', 'jobs', 'mailer']) failing.add(name)
  await close()
  expect([...new Set(closed)]).toEqual(inOrder)
  const messages = error.mock.calls.map(([entry]) => (entry as { err: Error }).err.message)
  expect(messages).toEqual([...failing].map((name) => `${name} failed`))
  failing.clear()
  await drop()
})

test.each(['a request', 'starts', 'capture moves'])('%s without an end keeps no other part open', async (what) => {
  const { app, close, drop } = await aPlatform()
  const times = { ...closesWithin }
  Object.assign(closesWithin, { requests: 300, rest: 300 })
  blocked.add(what)
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  const ended = once(client.resume(), 'close')
  if (what === 'a request') {
    const arrived = once(app.server, 'request')
    client.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await arrived
  } else client.destroy()
  await close()
  await ended
  await vi.waitFor(() => expect(new Set(closed)).toEqual(new Set(inOrder)), 5000)
  blocked.clear()
  Object.assign(closesWithin, times)
  await drop()
})
