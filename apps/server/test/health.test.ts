import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestPlatform, type TestPlatform } from './platform.ts'

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
  expect([await ask('/healthz'), await ask('/healthz/ready')]).toEqual([well, unwell])
  await listen()
  expect([await ask('/healthz'), await ask('/healthz/ready')]).toEqual([well, well])
})

test('while the database does not answer within a second a node is unhealthy, and it says so at once', async () => {
  await listen()
  const client = await platform.database.reservedClient({ idleInTransactionMs: 30_000 })
  await client.query('begin; lock table versions in access exclusive mode')
  try {
    await vi.waitFor(async () => expect([await ask('/healthz'), await ask('/healthz/ready')]).toEqual([unwell, unwell]), {
      timeout: 5000,
    })
    const begun = performance.now()
    for (let i = 0; i < 20; i++) expect(await ask('/healthz')).toEqual(unwell)
    expect(performance.now() - begun).toBeLessThan(1000)
  } finally {
    await client.end()
  }
  await vi.waitFor(async () => expect([await ask('/healthz'), await ask('/healthz/ready')]).toEqual([well, well]), {
    timeout: 5000,
  })
})

test('a node that drains is not ready', async () => {
  const other = await startTestPlatform()
  await other.app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect((other.app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  // A request that has begun keeps its connection while the others are closed.
  socket.write('GET /healthz/ready HTTP/1.1\r\nHost: x\r\n')
  await new Promise((resolve) => setTimeout(resolve, 100))
  const stopped = other.stop()
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.write('\r\n')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(String(answer)).toMatch(/^HTTP\/1.1 503 /)
  socket.destroy()
  await stopped
})
