import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { addressesOf, commonTargets, listenOnMachine, machineAddresses, tryFromHere } from './isolation-places.ts'

/** Simulated network interfaces and resolved addresses; null: the real ones. */
const machine = vi.hoisted(() => ({ interfaces: null as object | null, addresses: null as { address: string }[] | null }))
vi.mock('node:os', async (original) => {
  const real = await original<typeof import('node:os')>()
  return { ...real, networkInterfaces: () => machine.interfaces ?? real.networkInterfaces() }
})
vi.mock('node:dns/promises', async (original) => {
  const real = await original<typeof import('node:dns/promises')>()
  return { ...real, lookup: async (name: string) => machine.addresses ?? real.lookup(name, { all: true }) }
})
afterEach(() => {
  machine.interfaces = machine.addresses = null
})

const target = (kind: 'tcp' | 'dns' | 'link', port: number) => ({ name: 'host', kind, address: 'as found', port }) as const

test('addresses of this machine have no loopback and no link-local ones', () => {
  for (const address of machineAddresses()) expect(address).not.toMatch(/^(127\.|::1$|fe80:)/)
})

test('two addresses per family of this machine and two of a host name are tried, and none of a container bridge', async () => {
  const at = (...addresses: string[]) => addresses.map((address) => ({ internal: address === '127.0.0.1', address }))
  machine.interfaces = {
    lo: at('127.0.0.1'),
    docker0: at('172.17.0.1'),
    eth0: at('fe80::1', '2001:db8::1', '192.0.2.1', '192.0.2.2', '2001:db8::2', '2001:db8::3'),
    eth1: at('192.0.2.3'),
  }
  expect(machineAddresses()).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'])
  machine.addresses = at('192.0.2.1', '192.0.2.2', '192.0.2.3')
  expect(await addressesOf('database.example.org')).toEqual(['192.0.2.1', '192.0.2.2'])
})

test('a name without an address has none; an address is its own', async () => {
  expect(await addressesOf('nowhere.invalid')).toEqual([])
  expect(await addressesOf('127.0.0.9')).toEqual(['127.0.0.9'])
})

test('an external database is a target at each of its addresses, an embedded one is not', async () => {
  const of = async (database: { host: string; port: number } | null) =>
    (await commonTargets({ image: null, port: 8080, database })).filter(({ name }) => name === 'database')
  expect(await of({ host: '127.0.0.9', port: 5433 })).toEqual([
    { name: 'database', kind: 'tcp', address: '127.0.0.9', port: 5433 },
  ])
  expect(await of(null)).toEqual([])
})

test('the port of the machine ends every connection, and is closed again', async () => {
  const listener = await listenOnMachine()
  const [socket] = [connect(listener.port, '127.0.0.1')]
  await once(socket, 'close')
  const three = [1, 2, 3].map(() => target('tcp', listener.port))
  // A name is not what a container found.
  expect(await tryFromHere(three, ['-', '127.0.0.1', 'localhost'])).toEqual([
    { address: '-', result: 'untried' },
    { address: '127.0.0.1', result: 'reached' },
    { address: 'localhost', result: 'untried' },
  ])
  listener.close()
  await once(listener, 'close')
  expect(await tryFromHere([target('tcp', listener.port)], ['127.0.0.1'])).toEqual([{ address: '127.0.0.1', result: 'untried' }])
})

test('a name server is reached when it answers the question', async () => {
  const server = createSocket('udp4')
  const requests: Buffer[] = []
  server.on('message', (question, { address, port }) => {
    requests.push(question)
    server.send(question, port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  expect(await tryFromHere([target('dns', port)], ['127.0.0.1'])).toEqual([{ address: '127.0.0.1', result: 'reached' }])
  // There is one question, and its name is the root.
  expect([requests[0]?.readUInt16BE(4), requests[0]?.subarray(12).toString('hex')]).toEqual([1, '0000020001'])
  server.close()
})

test('a connection attempt has a timeout of three seconds and closes its socket', async () => {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const accepted = once(listener, 'connection')
  const limit = vi.spyOn(Socket.prototype, 'setTimeout')
  onTestFinished(() => limit.mockRestore())
  const { port } = listener.address() as AddressInfo
  expect(await tryFromHere([target('tcp', port)], ['127.0.0.1'])).toEqual([{ address: '127.0.0.1', result: 'reached' }])
  expect(limit.mock.calls.map(([ms]) => ms)).toContain(3_000)
  const [socket] = (await accepted) as [Socket]
  const closed = vi.fn()
  socket.on('close', closed).resume()
  await expect.poll(() => closed.mock.calls.length).toBe(1)
  listener.close()
})

test('a DNS query has a timeout of three seconds, and leaves neither a timer nor a socket open', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('UDP')).length
  const before = sockets()
  const server = createSocket('udp4')
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const dns = target('dns', server.address().port)
  const silent = tryFromHere([dns], ['127.0.0.1'])
  await once(server, 'message')
  vi.advanceTimersByTime(2_999)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1)
  expect(await silent).toEqual([{ address: '127.0.0.1', result: 'untried' }])
  server.on('message', (question, { address, port }) => server.send(question, port, address))
  expect(await tryFromHere([dns], ['127.0.0.1'])).toEqual([{ address: '127.0.0.1', result: 'reached' }])
  expect(vi.getTimerCount()).toBe(0)
  server.close()
  await once(server, 'close')
  await expect.poll(sockets).toBe(before)
})

test('what a container did not find, and neighbours on its link, cannot be tried from here', async () => {
  expect(await tryFromHere([target('tcp', 80), target('link', 80)], ['-', 'fe80::1%eth0'])).toEqual([
    { address: '-', result: 'untried' },
    { address: 'fe80::1%eth0', result: 'untried' },
  ])
})
