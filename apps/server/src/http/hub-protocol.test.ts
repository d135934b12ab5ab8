import { once } from 'node:events'
import { hubLimits } from '@vexil/core/limits'
import { expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import {
  answerTo,
  closeWithoutReconnect,
  closeWithReconnect,
  handshakeResponse,
  invocation,
  isHandshake,
  openReader,
  ProtocolBroken,
  ping,
  textFrame,
  wrongProtocol,
} from './hub-protocol.ts'

test('a frame can hold several messages, and a message can span frames', () => {
  const reader = openReader()
  expect(reader.read('{"a":1}\x1e{"b":2}\x1e{"c"')).toEqual(['{"a":1}', '{"b":2}'])
  expect(reader.read(':3')).toEqual([])
  expect(reader.read('}\x1e')).toEqual(['{"c":3}'])
})

test('the age of an unfinished message counts from its first frame', () => {
  let now = 0
  const reader = openReader(() => now)
  const sinceAfter = (frame: string) => {
    now++
    reader.read(frame)
    return reader.since()
  }
  expect(['{"a"', ':1', '}\x1e', '{"b":', '2}\x1e{', '}\x1e'].map(sinceAfter)).toEqual([1, 1, null, 4, 5, null])
})

test('an unfinished message is refused once it exceeds the maximum length', () => {
  const reader = openReader()
  expect(reader.read('x'.repeat(hubLimits.messageBytes))).toEqual([])
  expect(() => reader.read('x')).toThrow(ProtocolBroken)
})

test('the frames in a period are limited, also unfinished and empty ones, and the next period starts again', () => {
  let now = 0
  const reader = openReader(() => now)
  for (let i = 0; i < hubLimits.framesMost; i++) i % 2 ? reader.read('') : reader.count()
  now = hubLimits.framesPeriod - 1
  expect(() => reader.read('')).toThrow(ProtocolBroken)
  now = hubLimits.framesPeriod
  expect(reader.read('')).toEqual([])
})

test('the handshake requires JSON', () => {
  expect(isHandshake('{"protocol":"json","version":1}')).toBe(true)
  for (const other of ['{"protocol":"messagepack","version":1}', '{}', 'null', '', 'x', '[]'])
    expect(isHandshake(other)).toBe(false)
})

test('only a call that expects a result gets one', () => {
  for (const type of [1, 4]) {
    expect(JSON.parse((answerTo(`{"type":${type},"invocationId":"7","target":"x"}`) as string).slice(0, -1))).toEqual({
      type: 3,
      invocationId: '7',
      error: expect.any(String),
    })
  }
  for (const silent of [
    '{"type":1}',
    '{"type":6}',
    '{"type":7}',
    '{"type":2,"invocationId":"7"}',
    '{"type":5,"invocationId":"7"}',
  ])
    expect(answerTo(silent)).toBeNull()
})

test('an invalid message, or one with too long an id, is a protocol error', () => {
  for (const broken of ['', 'x', 'null', '7']) expect(() => answerTo(broken)).toThrow(ProtocolBroken)
  const id = (length: number) => `{"type":1,"invocationId":"${'7'.repeat(length)}"}`
  expect(answerTo(id(hubLimits.invocationIdMax))).not.toBeNull()
  expect(() => answerTo(id(hubLimits.invocationIdMax + 1))).toThrow(ProtocolBroken)
})

test('a pushed message has one argument and ends with 0x1E, with non-ASCII characters unescaped', () => {
  expect(invocation('ReceivedGameNotice', { values: ['赛'] })).toBe(
    '{"type":1,"target":"ReceivedGameNotice","arguments":[{"values":["赛"]}]}\x1e',
  )
})

test('the server’s own messages have the exact form that clients compare', () => {
  expect([ping, handshakeResponse, closeWithReconnect]).toEqual([
    '{"type":6}\x1e',
    '{}\x1e',
    '{"type":7,"allowReconnect":true}\x1e',
  ])
  expect(closeWithoutReconnect).toBe('{"type":7,"error":"Connection refused.","allowReconnect":false}\x1e')
  expect(wrongProtocol).toBe('{"error":"Only the JSON protocol is supported."}\x1e')
  expect(answerTo('{"type":1,"invocationId":"7"}')).toBe('{"type":3,"invocationId":"7","error":"There is no such method."}\x1e')
})

test('frames are counted from the first one, regardless of the clock', () => {
  let now = 1_000_000
  const reader = openReader(() => now)
  for (let i = 0; i < hubLimits.framesMost; i++) reader.count()
  now += hubLimits.framesPeriod - 1
  expect(() => reader.count()).toThrow('too many frames')
  now += 1
  expect(() => reader.count()).not.toThrow()
})

test.each([0, 1, 125, 126, 65_535, 65_536, 100_000])(
  'a text of %i bytes is one frame that a WebSocket reads back',
  async (length) => {
    const text = 'ü'.repeat(Math.floor(length / 2)) + 'x'.repeat(length % 2)
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    server.on('connection', (_socket, request) => void request.socket.write(Buffer.concat([textFrame(text), textFrame('next')])))
    await once(server, 'listening')
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as { port: number }).port}`)
    try {
      const received: [string, boolean][] = []
      client.on('message', (data, isBinary) => received.push([String(data), isBinary]))
      await expect.poll(() => received.length).toBe(2)
      expect([received, Buffer.byteLength(text)]).toEqual([
        [
          [text, false],
          ['next', false],
        ],
        length,
      ])
    } finally {
      client.terminate()
      server.close()
    }
  },
)
