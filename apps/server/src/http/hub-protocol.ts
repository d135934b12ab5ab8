/** The SignalR JSON protocol, as far as a server that only pushes needs it: texts in, texts out. */
import { hubLimits } from '@vexil/core/limits'

/** Ends every message; several may share a frame, and one may span frames. */
const end = '\x1e'

export const ping = `{"type":6}${end}`
/** The answer to a good handshake; clients compare the text. */
export const handshakeResponse = `{}${end}`
export const wrongProtocol = `{"error":"Only the JSON protocol is spoken here."}${end}`
/** The listener may come again at once, as when a node stops. */
export const closeForNow = `{"type":7,"allowReconnect":true}${end}`
/** The listener has no right to be here. */
export const closeForGood = `{"type":7,"error":"Connection refused.","allowReconnect":false}${end}`

export const invocation = (target: string, argument: unknown): string =>
  JSON.stringify({ type: 1, target, arguments: [argument] }) + end

/** A text as one unmasked WebSocket frame (RFC 6455, 5.2), ready to be written to any number of connections. */
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

/** What a broken or greedy client did; its connection ends. */
export class ProtocolBroken extends Error {}

/**
 * Cuts what comes into messages. Throws ProtocolBroken for a message longer than `hubLimits.messageBytes` and for more frames in
 * `hubLimits.framesPeriod` than `hubLimits.framesMost`. `now` is a monotonic clock in milliseconds.
 */
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
    /** Counts a frame without a message: a ping or pong of the WebSocket itself. */
    count,
    /** When the frame came in which an unfinished message began; null between two messages. */
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

/** Whether this first message asks for the protocol that is spoken here. */
export function isHandshake(message: string): boolean {
  try {
    return parse(message).protocol === 'json'
  } catch {
    return false
  }
}

/**
 * What a message of a client is answered with, null for silence. There is no method to call: calls (1) and streams (4) that wait for an
 * answer get an error, everything else is taken in silence. Throws ProtocolBroken for what is no message or carries a long id.
 */
export function answerTo(message: string): string | null {
  const { type, invocationId } = parse(message)
  if ((type !== 1 && type !== 4) || typeof invocationId !== 'string') return null
  if (invocationId.length > hubLimits.invocationIdMax) throw new ProtocolBroken('id too long')
  return noSuchMethod(invocationId)
}
