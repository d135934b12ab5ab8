import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { addressesOf, commonTargets, listenOnMachine, machineAddresses, tryFromHere } from './isolation-places.ts'

const target = (kind: 'tcp' | 'dns' | 'link', port: number) => ({ name: 'host', kind, address: 'as found', port }) as const

test('addresses of this machine have no loopback and no link-local ones', () => {
  for (const address of machineAddresses()) expect(address).not.toMatch(/^(127\.|::1$|fe80:)/)
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

test('what a container did not find, and neighbours on its link, cannot be tried from here', async () => {
  expect(await tryFromHere([target('tcp', 80), target('link', 80)], ['-', 'fe80::1%eth0'])).toEqual([
    { address: '-', result: 'untried' },
    { address: 'fe80::1%eth0', result: 'untried' },
  ])
})
