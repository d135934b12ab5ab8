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

/** The whole response to a request to this host. */
const ask = (host: string, line = 'POST /somewhere', headers = 'Content-Length: 0\r\nConnection: close') => {
  const { port } = shared.server.address() as AddressInfo
  return text(connect(port, '127.0.0.1').end(`${line} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n\r\n`))
}

test('without a handler a request to another host is answered with 404, and an upgrade is closed', async () => {
  expect(await ask('a.instances.example')).toMatch(/^HTTP\/1\.1 404 /)
  expect(await ask('a.instances.example', 'GET /', 'Connection: upgrade\r\nUpgrade: websocket')).toBe('')
})

test('a request to another host reaches its handler, all others reach the application', async () => {
  others.handlers.request = (_request, response) => void response.end('an instance')
  expect(await ask('a.instances.example')).toContain('an instance')
  expect(await ask('localhost')).toContain('request.method_not_allowed')
})
