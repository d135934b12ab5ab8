/** The samples in `deploy/` for several nodes. nginx is tested here, HAProxy by the tool. */
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'
import { haproxySettings } from '../../../tools/nodes/haproxy.ts'
import { nginx, program, siteSettings } from '../../../tools/nodes/nginx.ts'
import { type LoadBalancer, sampleOf, withNodes } from '../../../tools/nodes/proxy.ts'
import { cookieName } from '../src/http/session-cookie.ts'

const three = [1, 2, 3].map((at) => `http://127.0.0.1:900${at}`)

/** Lines that only the settings have. */
function added(settings: string, sample: string): string[] {
  const lines = new Set(sample.split('\n'))
  return settings.split('\n').filter((line) => !lines.has(line))
}

test('of the samples only ports and addresses are replaced, and TLS is left out', () => {
  const [forHaproxy, site, forNginx] = ['haproxy.cfg', 'nginx.conf', 'nginx-nodes.conf'].map(sampleOf) as [string, string, string]
  expect(added(haproxySettings(forHaproxy, 8000, three), forHaproxy)).toEqual([
    '    bind 127.0.0.1:8000',
    '    server first 127.0.0.1:9001',
    '    server second 127.0.0.1:9002',
    '    server third 127.0.0.1:9003',
  ])
  expect(added(siteSettings(site, 8000), site)).toEqual(['    listen 127.0.0.1:8000;'])
  expect(added(withNodes(forNginx, three), forNginx)).toEqual(
    [9001, 9002, 9003].map((port) => `    server 127.0.0.1:${port} max_fails=10 fail_timeout=10s;`),
  )
  expect(() => withNodes(forHaproxy, [...three, 'http://127.0.0.1:9004'])).toThrow('The sample has no')
})

test('HAProxy pins a session by its cookie, checks readiness each second, and never sends a request twice', () => {
  const sample = sampleOf('haproxy.cfg')
  expect(sample).toContain(`set-var(txn.pin) req.cook(${cookieName})`)
  expect(sample).toMatch(/option httpchk GET \/healthz\/ready\n.*\n.*check inter 1s/)
  expect([...sample.matchAll(/retry-on (.*)/g)].map(([, when]) => when)).toEqual(['conn-failure'])
})

describe.skipIf(!existsSync(program))('nginx with three nodes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-nginx-'))
  const nodes: Server[] = []
  const received: { readonly node: number; readonly method: string; readonly from: string }[] = []
  let proxy: LoadBalancer

  beforeAll(async () => {
    for (const at of [0, 1, 2]) {
      const server = createServer(async (request, answer) => {
        const { method = '', url, headers } = request
        received.push({ node: at, method, from: String(headers['x-forwarded-for']) })
        await text(request)
        if (url === '/breaks') return request.socket.destroy()
        answer.end(String(at))
      })
      nodes.push(server.listen(0, '127.0.0.1'))
      await once(server, 'listening')
    }
    const urls = nodes.map((node) => `http://127.0.0.1:${(node.address() as AddressInfo).port}`)
    proxy = await nginx.start(folder, await freePort(), urls)
  })
  beforeEach(() => {
    received.length = 0
  })
  afterAll(async () => {
    await proxy.stop()
    for (const node of nodes) node.closeAllConnections()
    for (const node of nodes) node.close()
    rmSync(folder, { recursive: true })
  })

  const cookies = Array.from({ length: 30 }, (_, number) => ({ cookie: `a=b; ${cookieName}=${'token'.repeat(number + 1)}` }))
  /** The node that answers each of 30 sessions. */
  const nodesOf = () => Promise.all(cookies.map(async (headers) => (await fetch(`${proxy.url}/api/config`, { headers })).text()))
  const send = (path: string, headers: Record<string, string>, method = 'POST') =>
    fetch(proxy.url + path, { method, headers, ...(method === 'POST' && { body: '{}' }) })

  test('a session stays on its node, one without a session stays by its address, and nginx believes no address of the caller', async () => {
    const first = await nodesOf()
    expect([...new Set(first)].sort()).toEqual(['0', '1', '2'])
    expect(await nodesOf()).toEqual(first)
    const without = await Promise.all(
      ['1.2.3.4', '5.6.7.8', '9.9.9.9', '4.4.4.4'].map((forged) =>
        fetch(proxy.url, { headers: { 'x-forwarded-for': forged } }).then((answer) => answer.text()),
      ),
    )
    expect(new Set(without).size).toBe(1)
    expect(new Set(received.map(({ from }) => from))).toEqual(new Set(['127.0.0.1']))
  })

  test('a node that was taken out by the commands of the run book gets nothing, the sessions of the others stay, and all return', async () => {
    const before = await nodesOf()
    await proxy.takeOut(1)
    const without = await nodesOf()
    expect(without).not.toContain('1')
    expect(without.filter((node, at) => before[at] !== '1' && before[at] !== node)).toEqual([])
    expect(readFileSync(join(folder, 'conf.d/vexil-nodes.conf'), 'utf8').match(/ down;/g)).toHaveLength(1)
    await proxy.putBack(1)
    expect(await nodesOf()).toEqual(before)
    expect(readFileSync(join(folder, 'conf.d/vexil-nodes.conf'), 'utf8')).not.toMatch(/ down;/)
  })

  test('what was posted is never sent to a second node, what was read is', async () => {
    const before = await nodesOf()
    received.length = 0
    // One session of each node: fewer failures than nginx needs to remove a node.
    const three = ['0', '1', '2'].map((node) => cookies[before.indexOf(node)] as { readonly cookie: string })
    for (const headers of three) expect((await send('/breaks', headers)).status).toBe(502)
    expect(received.map(({ node }) => node)).toEqual([0, 1, 2])
    received.length = 0
    await send('/breaks', three[0] as { readonly cookie: string }, 'GET')
    expect(received.map(({ node }) => node).sort()).toEqual([0, 1, 2])
  })

  test('a post goes to another node when its own cannot be reached', async () => {
    const before = await nodesOf()
    received.length = 0
    nodes[2]?.closeAllConnections()
    nodes[2]?.close()
    const answers = await Promise.all(cookies.map(async (headers) => (await send('/api', headers)).text()))
    expect(answers.filter((node, at) => (before[at] === '2' ? node === '2' : node !== before[at]))).toEqual([])
    expect(received.filter(({ method }) => method === 'POST')).toHaveLength(cookies.length)
  })
})
