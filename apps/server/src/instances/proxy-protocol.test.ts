import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { clientIn, readProxyHeader } from './proxy-protocol.ts'

test.each([
  ['PROXY TCP4 203.0.113.9 192.0.2.1 40123 443\r\n', { address: '203.0.113.9', port: 40_123 }],
  ['PROXY TCP6 2001:db8::9 2001:db8::1 1 443\r\n', { address: '2001:db8::9', port: 1 }],
  ['PROXY UNKNOWN\r\n', null],
  ['PROXY UNKNOWN ffff::1 ffff::2 1 2\r\n', null],
])('%j names %j', (line, client) => {
  expect(clientIn(line)).toEqual(client)
})

test.each([
  'PROXY TCP4 2001:db8::9 192.0.2.1 40123 443\r\n',
  'PROXY TCP6 203.0.113.9 192.0.2.1 40123 443\r\n',
  'PROXY TCP4 203.0.113.9 192.0.2.1 70000 443\r\n',
  'PROXY TCP4 203.0.113.9 192.0.2.1 40123\r\n',
  'PROXY TCP5 203.0.113.9 192.0.2.1 40123 443\r\n',
  ' PROXY UNKNOWN\r\n',
  'PROXY UNKNOWNS\r\n',
  'GET / HTTP/1.1\r\n',
  '\r\n',
])('%j is refused', (line) => {
  expect(() => clientIn(line)).toThrow('no header of the PROXY protocol')
})

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

async function pair(): Promise<{ sender: Socket; receiver: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [receiver] = (await once(server, 'connection')) as [Socket]
  closing.push(() => {
    sender.destroy()
    receiver.destroy()
    server.close()
  })
  return { sender, receiver }
}

test('the line may come in parts; the bytes behind it stay', async () => {
  const { sender, receiver } = await pair()
  const read = readProxyHeader(receiver)
  for (const part of ['PROXY TCP4 203.0.113.9 ', '192.0.2.1 40123 443\r', '\nhello']) {
    sender.write(part)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(await read).toEqual({ address: '203.0.113.9', port: 40_123 })
  expect(String(receiver.read())).toBe('hello')
})

test('the longest line of the protocol is read', async () => {
  const { sender, receiver } = await pair()
  sender.write(`PROXY UNKNOWN ${'x'.repeat(91)}\r\n`)
  expect(await readProxyHeader(receiver)).toBeNull()
})

test('a connection that ends before its line is refused', async () => {
  const { sender, receiver } = await pair()
  sender.end('PROXY')
  await expect(readProxyHeader(receiver)).rejects.toThrow()
})

test.each([
  ['without an end', 'x'.repeat(107)],
  ['that is too long', `PROXY UNKNOWN ${'x'.repeat(92)}\r\n`],
])('a line %s is refused', async (_, text) => {
  const { sender, receiver } = await pair()
  sender.write(text)
  await expect(readProxyHeader(receiver)).rejects.toThrow('no header of the PROXY protocol')
})
