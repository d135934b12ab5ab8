#!/usr/bin/env node
/**
 * Opens a local TCP port that leads to an instance behind the platform:
 *   node forward.mjs wss://ctf.example.org/api/proxy/… [port]
 * Needs Node 18 or later and nothing else.
 */
import { randomBytes } from 'node:crypto'
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'
import { createServer } from 'node:net'

/** A WebSocket cannot close one direction only: when the local client half-closes, the connection is closed after this time (ms) without an answer. */
const lingers = 3000
const codes = { binary: 2, close: 8, ping: 9, pong: 10 }

const [address = '', port = '0'] = process.argv.slice(2)
if (!/^wss?:\/\/[^/]+\/api\/proxy\/./.test(address) || !/^\d{1,5}$/.test(port)) {
  console.error('Usage: node forward.mjs wss://…/api/proxy/… [port]')
  process.exit(2)
}
const url = new URL(address.replace(/^ws/, 'http'))
const get = (headers) => (url.protocol === 'https:' ? secure : plain)(url, { headers, agent: false })
const fail = (reason) => {
  console.error(reason)
  process.exit(1)
}

// Without an upgrade the platform answers whether there is such an instance.
get({})
  .on('error', (error) => fail(`${url.host} cannot be reached: ${error.message || error.code}`))
  .on('response', async (answer) => {
    if (answer.statusCode !== 204) fail(await reasonOf(answer))
    answer.resume()
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, forward)
    server.on('error', (error) => fail(`Port ${port} cannot be opened: ${error.message}`))
    server.listen(Number(port), '127.0.0.1', () => {
      const { port: opened } = server.address()
      process.stdout.write(
        `127.0.0.1:${opened} forwards to the instance, for example: nc 127.0.0.1 ${opened}\nPress Ctrl-C to stop.\n`,
      )
    })
  })
  .end()

async function reasonOf(answer) {
  let text = ''
  for await (const part of answer) if (text.length < 65_536) text += part
  try {
    return `${answer.statusCode}: ${JSON.parse(text).title}`
  } catch {
    return `${answer.statusCode}: ${answer.statusMessage}`
  }
}

function forward(local) {
  local.on('error', () => local.destroy())
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
  get({ ...upgrade, 'sec-websocket-key': randomBytes(16).toString('base64') })
    .on('upgrade', (_answer, remote, head) => join(local, remote, head))
    .on('response', async (answer) => {
      console.error(await reasonOf(answer))
      local.destroy()
    })
    .on('error', (error) => {
      console.error(error.message)
      local.destroy()
    })
    .end()
}

function join(local, remote, head) {
  let rest = Buffer.alloc(0)
  let timer
  const send = (code, bytes) => !remote.writable || remote.write(frame(code, bytes))
  const finish = () => {
    clearTimeout(timer)
    if (local.readableEnded) timer = setTimeout(() => send(codes.close, Buffer.alloc(0)), lingers)
  }
  const receive = (bytes) => {
    rest = Buffer.concat([rest, bytes])
    for (let found = parse(rest); found; found = parse(rest)) {
      rest = rest.subarray(found.length)
      if (found.code === codes.ping) send(codes.pong, found.payload)
      else if (found.code === codes.close) remote.end(frame(codes.close, found.payload))
      else if (found.code < codes.close && !local.write(found.payload)) remote.pause()
    }
    finish()
  }
  local
    .on('data', (bytes) => send(codes.binary, bytes) || local.pause())
    .on('drain', () => remote.resume())
    .on('end', finish)
    .on('close', () => {
      clearTimeout(timer)
      remote.destroy()
    })
  remote
    .on('data', receive)
    .on('drain', () => local.resume())
    .on('error', () => remote.destroy())
    .on('close', () => local.end(() => local.destroySoon()))
  if (head.length > 0) receive(head)
  local.resume()
}

/** A whole message of a client: masked, as the protocol requires. */
function frame(code, bytes) {
  const long = bytes.length > 125
  const start = Buffer.alloc(long ? 10 : 2)
  start[0] = 0x80 | code
  start[1] = 0x80 | (long ? 127 : bytes.length)
  if (long) start.writeBigUInt64BE(BigInt(bytes.length), 2)
  const mask = randomBytes(4)
  return Buffer.concat([start, mask, bytes.map((byte, i) => byte ^ mask[i & 3])])
}

/** The first frame in `bytes`, of a server that does not mask; undefined while it is incomplete. */
function parse(bytes) {
  if (bytes.length < 2) return undefined
  const short = bytes[1] & 127
  const start = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < start) return undefined
  const size = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  if (bytes.length < start + size) return undefined
  return { code: bytes[0] & 15, payload: bytes.subarray(start, start + size), length: start + size }
}
