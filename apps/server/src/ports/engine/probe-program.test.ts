/** The program of the isolation probe itself, on this machine's loopback. It is compiled where gcc is installed. */
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, test } from 'vitest'
import { buildProbe } from '../../../../../scripts/toolchain.mjs'

const program = join(import.meta.dirname, '../../../../../deploy/probe/probe')

/** Runs the program until its last line, runs `beside` at the same time, and ends the program. Returns the sorted lines. */
async function run(env: Record<string, string>, beside: () => Promise<unknown> = async () => undefined): Promise<string[]> {
  const child = spawn(program, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const lines: string[] = []
    for await (const line of createInterface(child.stdout)) {
      if (line === 'done') break
      lines.push(line)
    }
    await beside()
    return lines.sort()
  } finally {
    child.kill('SIGKILL')
  }
}

/** Answers each question with this code; the first answer to each has a wrong id. */
async function aNameServer(code: number) {
  const socket = createSocket('udp4')
  const requests: string[] = []
  socket.on('message', (question, { address, port }) => {
    requests.push(question.subarray(12).toString('hex'))
    const answer = Buffer.from(question)
    answer[2] = 0x81
    answer[3] = 0x80 | code
    const foreign = Buffer.from(answer)
    foreign[0] = ~foreign[0]! & 0xff
    socket.send(foreign, port, address)
    socket.send(answer, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port, requests, close: () => socket.close() }
}

describe.skipIf(!buildProbe())('the program of the isolation probe', () => {
  test('says of each target whether it was reached, and of an unreadable one that it was not tried', async () => {
    const listener = createServer((socket) => socket.on('error', () => undefined).destroy()).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as { port: number }
    const words = [
      `tcp,127.0.0.1,${port}`,
      'tcp,127.0.0.1,1',
      'tcp,::1,1',
      'tcp,nowhere,1',
      'tcp,127.0.0.1',
      'udp,127.0.0.1,1',
      'tcp',
    ]
    expect(await run({ VEXIL_PROBE: words.join(' ') })).toEqual([
      '0 reached 127.0.0.1',
      '1 refused 127.0.0.1',
      expect.stringMatching(/^2 (refused|untried) ::1$/),
      '3 untried nowhere',
      '4 untried 127.0.0.1',
      '5 untried 127.0.0.1',
      '6 untried -',
    ])
    listener.close()
  })

  test('a name server is reached by any answer to its question but a failure', async () => {
    const [good, missing, failing] = [await aNameServer(0), await aNameServer(3), await aNameServer(2)]
    const words = [good, missing, failing].map(({ port }) => `dns,127.0.0.1,${port}`)
    expect(await run({ VEXIL_PROBE: words.join(' ') })).toEqual([
      '0 reached 127.0.0.1',
      '1 reached 127.0.0.1',
      '2 refused 127.0.0.1',
    ])
    // The question is for the name servers of the root: name `.`, type NS, class IN.
    expect(good.requests).toEqual(['0000020001'])
    for (const one of [good, missing, failing]) one.close()
  })

  test('accepts connections afterwards on its port; without one it accepts none', async () => {
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port } = free.address() as { port: number }
    free.close()
    await once(free, 'close')
    const tries = () =>
      new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1')
        socket.on('connect', () => resolve('accepted')).on('error', () => resolve('refused'))
        socket.on('close', () => socket.destroy())
      })
    const found: string[] = []
    await run({ VEXIL_PROBE_PORT: String(port) }, async () => found.push(await tries()))
    await run({}, async () => found.push(await tries()))
    expect(found).toEqual(['accepted', 'refused'])
  })
})
