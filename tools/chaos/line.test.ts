import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Line, openLine } from './line.ts'

const service = createServer((socket) => socket.on('error', () => undefined).pipe(socket))
let line: Line
beforeAll(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening')
  line = await openLine({ host: '127.0.0.1', port: (service.address() as AddressInfo).port })
})
afterAll(async () => {
  await line.close()
  service.close()
})

/** Sends `text` and returns the answer, or `none` if the connection ends. */
async function say(text: string): Promise<string> {
  const socket = connect(line.port, '127.0.0.1')
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (bytes) => resolve(String(bytes)))
    socket.on('error', () => resolve('none')).on('close', () => resolve('none'))
  })
  socket.write(text)
  return answer.finally(() => socket.destroy())
}

test('a line carries everything, also slowly, and again after it was cut', async () => {
  expect(await say('one')).toBe('one')
  await line.set('slow')
  expect(await say('two')).toBe('two')
  await line.set('refused')
  expect(await say('three')).toBe('none')
  await line.set('open')
  expect(await say('four')).toBe('four')
  const open = connect(line.port, '127.0.0.1')
  await once(open, 'connect')
  const ended = once(open, 'error')
  await line.set('reset')
  expect(await ended).toEqual([expect.objectContaining({ code: 'ECONNRESET' })])
  const refused = connect(line.port, '127.0.0.1')
  expect(await once(refused, 'error')).toEqual([expect.objectContaining({ code: 'ECONNRESET' })])
  await line.set('open')
  expect(await say('five')).toBe('five')
})

test('a line can answer nonsense, or nothing until it is open again', async () => {
  await line.set('garbage')
  expect(await say('five')).toContain('no protocol')
  await line.set('silent')
  const unanswered = say('six')
  expect(await Promise.race([unanswered, sleep(100, 'still waiting')])).toBe('still waiting')
  await line.set('open')
  expect(await unanswered).toBe('none')
  expect(await say('seven')).toBe('seven')
})
