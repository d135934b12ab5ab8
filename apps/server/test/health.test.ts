import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestPlatform, type TestPlatform } from './platform.ts'

/** A draining node stops listening when `until` has resolved. */
const listening = vi.hoisted(() => ({ asked: false, until: Promise.resolve() }))
vi.mock('../src/http/stop-listening.ts', async (original) => {
  const { stopListening } = await original<typeof import('../src/http/stop-listening.ts')>()
  return {
    async stopListening(server: Parameters<typeof stopListening>[0]) {
      listening.asked = true
      await listening.until
      return stopListening(server)
    },
  }
})

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())

const ask = async (path: string) => {
  const { status, body } = await platform.anyone.get(path)
  return [status, body]
}
const listen = async () => {
  if (!platform.app.server.listening) await platform.app.listen({ port: 0, host: '127.0.0.1' })
}
const well = [200, 'Healthy']
const unwell = [503, 'Unhealthy']

test('before it listens a node is healthy but not ready; also while the platform is not set up', async () => {
  // On a busy machine one response of the database may take longer than a second.
  const becomes = (state: unknown[]) =>
    vi.waitFor(async () => expect([await ask('/healthz'), await ask('/healthz/ready')]).toEqual(state), { timeout: 5000 })
  await becomes([well, unwell])
  await listen()
  await becomes([well, well])
})

test('a node without a database response within a second is unhealthy, and reports it at once', async () => {
  await listen()
  const client = await platform.database.reservedClient({ idleInTransactionMs: 30_000 })
  await client.query('begin; lock table versions in access exclusive mode')
  try {
    await vi.waitFor(async () => expect([await ask('/healthz'), await ask('/healthz/ready')]).toEqual([unwell, unwell]), {
      timeout: 5000,
    })
    const queries = vi.spyOn(pg.Pool.prototype, 'connect')
    for (let i = 0; i < 20; i++) expect(await ask('/healthz')).toEqual(unwell)
    // Each request that queried the database would wait for it. The poll queries again after a failure.
    expect(queries.mock.calls.length).toBeLessThan(2)
    queries.mockRestore()
  } finally {
    await client.end()
  }
  await vi.waitFor(async () => expect([await ask('/healthz'), await ask('/healthz/ready')]).toEqual([well, well]), {
    timeout: 5000,
  })
})

test('a node that stops still serves, is not ready, and asks clients to close kept connections', async () => {
  const other = await startTestPlatform({ VEXIL_DRAIN_SECONDS: '1' })
  const mayStop = Promise.withResolvers<void>()
  listening.until = mayStop.promise
  const closed = vi.spyOn(other.live, 'close')
  await other.app.listen({ port: 0, host: '127.0.0.1' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { port } = other.app.server.address() as AddressInfo
  const get = (path: string) =>
    new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
      request({ agent, port, path }, (answer) => {
        answer.resume().on('end', () => resolve({ status: answer.statusCode, connection: answer.headers.connection }))
      })
        .on('error', reject)
        .end()
    })
  expect(await get('/healthz/ready')).toEqual({ status: 200, connection: 'keep-alive' })
  const stopped = other.stop()
  expect(await get('/healthz/ready')).toEqual({ status: 503, connection: 'close' })
  expect(await get('/api/config')).toEqual({ status: 200, connection: 'close' })
  expect(await get('/healthz')).toEqual({ status: 200, connection: 'close' })
  await vi.waitFor(() => expect(listening.asked).toBe(true))
  // Longer than the last accepted connection may take to send a request.
  await sleep(700)
  expect(closed).not.toHaveBeenCalled()
  mayStop.resolve()
  await stopped
  expect(closed).toHaveBeenCalledOnce()
  await expect(get('/healthz')).rejects.toThrow('ECONNREFUSED')
  agent.destroy()
})
