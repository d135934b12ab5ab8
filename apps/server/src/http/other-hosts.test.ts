import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { openApplication } from './application.ts'
import { hostsBelow } from './other-hosts.ts'

const options = { publicUrl: 'http://localhost', trustedProxies: [], log: { level: 'silent' } }
const others = hostsBelow('instances.example')
const [plain, shared] = await Promise.all([openApplication(options), openApplication({ ...options, otherHosts: others })])
afterAll(() => Promise.all([plain.close(), shared.close()]))

test.each([plain, shared])('an idle connection outlasts the timeout of proxies, and headers have 15 s (%#)', async (app) => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  expect(app.server).toMatchObject({ keepAliveTimeout: 75_000, headersTimeout: 15_000 })
})

test.each([
  ['instances.example', true],
  ['a.b.instances.example:8080', true],
  ['A.Instances.Example.', true],
  ['xinstances.example', false],
  ['instances.example.org', false],
  [undefined, false],
])('%s is another host: %s', (host, is) => {
  expect(others.matches(host)).toBe(is)
})

test('a request to another host reaches its handler, all others reach the application', async () => {
  others.handlers.request = (_request, response) => void response.end('an instance')
  const port = (shared.server.address() as AddressInfo).port
  const ask = (host: string) => {
    const socket = connect(port, '127.0.0.1').end(
      `POST /somewhere HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    )
    return text(socket)
  }
  expect(await ask('a.instances.example')).toContain('an instance')
  expect(await ask('localhost')).toContain('request.method_not_allowed')
})
