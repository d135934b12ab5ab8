import { hubLimits } from '@vexil/core/limits'

/** Terminates every message; a frame may contain several messages, and a message may span frames. */
const end = '\x1e'

export const ping = `{"type":6}${end}`
/** The answer to a valid handshake; clients compare the text. */
export const handshakeResponse = `{}${end}`
export const wrongProtocol = `{"error":"Only the JSON protocol is supported."}${end}`
/** Allows the client to reconnect at once, as when a node stops. */
export const closeWithReconnect = `{"type":7,"allowReconnect":true}${end}`
export const closeWithoutReconnect = `{"type":7,"error":"Connection refused.","allowReconnect":false}${end}`

export const invocation = (target: string, argument: unknown): string =>
  JSON.stringify({ type: 1, target, arguments: [argument] }) + end

/** A text as an unmasked WebSocket frame (RFC 6455, 5.2), reusable for any number of connections. */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const finalText = 0x81
  if (payload.length < 126) return Buffer.concat([Buffer.from([finalText, payload.length]), payload])
  const head = Buffer.alloc(payload.length < 65_536 ? 4 : 10)
  head.writeUInt8(finalText)
  if (payload.length < 65_536) {
    head.writeUInt8(126, 1)
    head.writeUInt16BE(payload.length, 2)
  } else {
    head.writeUInt8(127, 1)
    head.writeBigUInt64BE(BigInt(payload.length), 2)
  }
  return Buffer.concat([head, payload])
}

const noSuchMethod = (invocationId: string): string =>
  JSON.stringify({ type: 3, invocationId, error: 'There is no such method.' }) + end

/** The client violated the protocol or a limit; its connection ends. */
export class ProtocolBroken extends Error {}

/** Throws ProtocolBroken above `hubLimits.messageBytes`, or `framesMost` in `framesPeriod`. `now` is a monotonic clock in milliseconds. */
export function openReader(now: () => number = () => performance.now()) {
  let rest = ''
  let since: number | null = null
  let period = now()
  let frames = 0
  const count = () => {
    if (now() - period >= hubLimits.framesPeriod) {
      period = now()
      frames = 0
    }
    if (++frames > hubLimits.framesMost) throw new ProtocolBroken('too many frames')
  }
  return {
    /** Counts a frame without a message: a WebSocket ping or pong. */
    count,
    /** Arrival time of the first frame of an unfinished message, or null. */
    since: () => since,
    read(frame: string): string[] {
      count()
      const messages = (rest + frame).split(end)
      rest = messages.pop() as string
      if (rest === '') since = null
      else if (since === null || messages.length > 0) since = now()
      if (rest.length > hubLimits.messageBytes) throw new ProtocolBroken('message too long')
      return messages
    },
  }
}

function parse(message: string): { [name: string]: unknown } {
  let parsed: unknown
  try {
    parsed = JSON.parse(message)
  } catch {
    throw new ProtocolBroken('no JSON')
  }
  if (typeof parsed !== 'object' || parsed === null) throw new ProtocolBroken('no object')
  return parsed as { [name: string]: unknown }
}

export function isHandshake(message: string): boolean {
  try {
    return parse(message).protocol === 'json'
  } catch {
    return false
  }
}

/** Calls (1) and streams (4) with an id get an error; null for the rest. Throws ProtocolBroken for an invalid message or long id. */
export function answerTo(message: string): string | null {
  const { type, invocationId } = parse(message)
  if ((type !== 1 && type !== 4) || typeof invocationId !== 'string') return null
  if (invocationId.length > hubLimits.invocationIdMax) throw new ProtocolBroken('id too long')
  return noSuchMethod(invocationId)
}
