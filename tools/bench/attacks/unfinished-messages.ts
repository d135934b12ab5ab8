/**
 * npm run tool -- unfinished-messages [--connections 900] [--kilobytes 1000]: visitors of a public hub, from addresses 127.0.0.x, each send
 * this much of a message that never ends, and then stay silent for 20 seconds. Prints the memory of the platform at the start, its maximum and
 * at the end, and how many connections are left; exit code 1 if it grows by more than 256 MB after all connections are open. Starts a platform
 * on an empty database. The proxy to containers is not attacked: it needs an engine.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { rawFrame, rawHandshake, rawUpgrade } from '../../../apps/server/test/raw.ts'
import { startPlatform } from '../../../e2e/platform.ts'
import { memoryOf } from '../used.ts'

const { values } = parseArgs({
  options: { connections: { type: 'string', default: '900' }, kilobytes: { type: 'string', default: '1000' } },
})
const connections = Math.min(2000, Number(values.connections))
const kilobytes = Math.min(1023, Number(values.kilobytes))
/** Less than the number of visitors that one address may have. */
const fromEach = 120
const silentFor = 20_000
const answersWithin = 5_000
/** Maximum growth of memory after all are connected. Without limits for hubs, 900 visitors made it grow by 900 MB. */
const mostMegabytes = 256
const part = 'x'.repeat(1000)

const platform = await startPlatform()
const pid = platform.process.pid as number
const port = Number(new URL(platform.url).port)
const before = memoryOf(pid)
let most = before
const watching = setInterval(() => (most = Math.max(most, memoryOf(pid))), 50)

/** Connects a visitor and completes the handshake. The platform trusts a forwarding header from this machine; without one there are no limits. */
async function visit(number: number): Promise<Socket> {
  const address = 2 + Math.floor(number / fromEach)
  const localAddress = `127.0.0.${address}`
  const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined)
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
  const within = AbortSignal.timeout(answersWithin)
  await once(socket, 'connect', { signal: within })
  socket.write(rawUpgrade('/hub/site', [`X-Forwarded-For: 198.51.100.${address}`]))
  while (!received.includes('\r\n\r\n')) await once(socket, 'data', { signal: within })
  if (!received.includes(' 101 ')) throw new Error(`Connection ${number}: ${received}`)
  socket.write(rawHandshake)
  while (!received.includes('{}')) await once(socket, 'data', { signal: within })
  return socket
}

const visitors: Socket[] = []
try {
  for (let i = 0; i < connections; i++) visitors.push(await visit(i))
  const opened = memoryOf(pid)
  for (const [i, socket] of visitors.entries()) {
    for (let sent = 0; sent < kilobytes; sent++) socket.write(rawFrame(part, { opcode: sent ? 0 : 1, fin: false }))
    // In batches, so that this process does not buffer everything that the platform has not read yet.
    if (i % 20 === 19) await sleep(100)
  }
  await sleep(silentFor)
  const left = visitors.filter(({ destroyed }) => !destroyed).length
  const [a, b, c, d] = [before, opened, most, memoryOf(pid)].map((megabytes) => `${megabytes.toFixed(0)} MB`)
  console.log(`${connections} visitors, ${kilobytes} KB each of a message without an end.`)
  console.log(
    `Memory at the start ${a}, with all connections ${b}, at the most ${c}, at the end ${d}; connections left: ${left}.`,
  )
  if (most - opened > mostMegabytes) {
    console.error(`It grew by ${(most - opened).toFixed(0)} MB; at most ${mostMegabytes} MB are expected.`)
    process.exitCode = 1
  }
} finally {
  clearInterval(watching)
  for (const socket of visitors) socket.destroy()
  await platform.stop()
}
