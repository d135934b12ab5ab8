/** Converts a captured file to a TCP conversation, for tools that follow streams; the records of the platform stay UDP packets. */
import { addressBytes, type End, type Flow, fileHeader, tcpFlow, tcpRecord } from './pcap.ts'

const FIN = 1
const SYN = 2
const PSH = 8
const ACK = 16
/** Bytes of a record before the payload: record, Ethernet, IPv6, UDP. */
const headBytes = 16 + 14 + 40 + 8
const platform = { address: addressBytes('0.0.0.0'), port: 65_535 }

interface Side {
  readonly flow: Flow
  sequence: number
}

/** A record of a file on the disk. `at` is in milliseconds. */
interface Captured {
  readonly at: number
  readonly head: Buffer
  readonly payload: Buffer
}

/** The whole records of a file; a last record that is still being written is left out. Holds one record and one chunk. */
async function* recordsIn(file: AsyncIterable<Buffer>): AsyncGenerator<Captured> {
  let rest: Buffer = Buffer.alloc(0)
  let toSkip = fileHeader().length
  for await (const chunk of file) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    if (rest.length < toSkip) continue
    let start = toSkip
    toSkip = 0
    while (rest.length - start >= headBytes) {
      const end = start + 16 + rest.readUInt32LE(start + 8)
      if (end > rest.length) break
      const head = rest.subarray(start, start + headBytes)
      const at = head.readUInt32LE(0) * 1000 + head.readUInt32LE(4) / 1000
      yield { at, head, payload: rest.subarray(start + headBytes, end) }
      start = end
    }
    rest = rest.subarray(start)
  }
}

/** An end as the IPv6 address that is in the record, in its 16 bytes, and its port. */
const endIn = (head: Buffer, addressAt: number, portAt: number): End => ({
  address: head
    .subarray(addressAt, addressAt + 16)
    .toString('hex')
    .replace(/(.{4})(?=.)/g, '$1:'),
  port: head.readUInt16BE(portAt),
})
const sourceOf = (head: Buffer) => endIn(head, 38, 70)
const targetOf = (head: Buffer) => endIn(head, 54, 72)
const isSame = (a: End, b: End) => a.port === b.port && a.address === b.address
const isFromPlatform = ({ head }: Captured) =>
  head.readUInt16BE(70) === platform.port && platform.address.equals(head.subarray(38, 54))

/** Bytes of each direction that the disk could not take, as the record says; null for the metadata. */
function missingIn(payload: Buffer): { in: number; out: number } | null {
  const { Missing } = JSON.parse(payload.toString()) as { Missing?: { in: number; out: number } }
  return Missing ?? null
}

function openConversation(client: End, container: End) {
  const sides = {
    in: { flow: tcpFlow(client, container), sequence: 0 } as Side,
    out: { flow: tcpFlow(container, client), sequence: 0 } as Side,
  }
  const empty = Buffer.alloc(0)
  function segment(direction: 'in' | 'out', at: number, flags: number, payload: Uint8Array = empty): Uint8Array[] {
    const [from, to] = direction === 'in' ? [sides.in, sides.out] : [sides.out, sides.in]
    const acknowledgment = flags & ACK ? to.sequence : 0
    const head = tcpRecord(at, from.flow, { sequence: from.sequence, acknowledgment, flags }, payload)
    from.sequence += payload.length + (flags & (SYN | FIN) ? 1 : 0)
    return [head, payload]
  }
  return {
    /** All bytes are acknowledged at once, since the window has 65,535. */
    data: (direction: 'in' | 'out', at: number, payload: Uint8Array) => [
      ...segment(direction, at, PSH | ACK, payload),
      ...segment(direction === 'in' ? 'out' : 'in', at, ACK),
    ],
    /** Later segments leave a gap, which tools report as missing. */
    skip(missing: { in: number; out: number }) {
      sides.in.sequence += missing.in
      sides.out.sequence += missing.out
    },
    handshake: (at: number) => [...segment('in', at, SYN), ...segment('out', at, SYN | ACK), ...segment('in', at, ACK)],
    close: (at: number) => [...segment('in', at, FIN | ACK), ...segment('out', at, FIN | ACK), ...segment('in', at, ACK)],
  }
}

/**
 * A file of captured traffic as one TCP conversation: handshake, all bytes in their order with sequence numbers, close. Times never go back.
 * @param file chunks of a file that `openCapture` wrote
 */
export async function* tcpCapture(file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield fileHeader()
  let client: End | undefined
  let conversation: ReturnType<typeof openConversation> | undefined
  let last = 0
  for await (const captured of recordsIn(file)) {
    const { head, payload } = captured
    const before = last
    last = Math.max(last, captured.at)
    if (isFromPlatform(captured)) {
      client ??= targetOf(head)
      const missing = missingIn(payload)
      if (missing) conversation?.skip(missing)
      yield Buffer.concat([head, payload])
      continue
    }
    const source = sourceOf(head)
    const isIn = client === undefined || isSame(source, client)
    if (!conversation) {
      conversation = isIn ? openConversation(source, targetOf(head)) : openConversation(targetOf(head), source)
      yield Buffer.concat(conversation.handshake(before))
    }
    yield Buffer.concat(conversation.data(isIn ? 'in' : 'out', last, payload))
  }
  if (conversation) yield Buffer.concat(conversation.close(last))
}
