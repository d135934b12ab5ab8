import { connect } from 'node:net'

/** Milliseconds. */
const connectTime = 1_000
const textTime = 3_000
/** Bytes that are searched for the text. */
const readMax = 4_096

interface ListenTarget {
  readonly host: string
  readonly port: number
  /** Must be received on the connection; empty: nothing is expected. */
  readonly text: string
  /** Milliseconds for which the connection must stay open, or deliver a byte; 0 if only the service itself can have accepted it. */
  readonly stays: number
}

/** Dials each once, at the same time. */
export const areListening = async (targets: readonly ListenTarget[]): Promise<boolean> =>
  (await Promise.all(targets.map(isListening))).every(Boolean)

/** Dials once. A connection that ends without a byte while it must stay was not accepted by the service. */
export function isListening({ host, port, text, stays }: ListenTarget): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host, port, noDelay: true })
  let bytes = Buffer.alloc(0)
  let timer = setTimeout(resolve, connectTime, false)
  socket.on('error', () => resolve(false)).on('close', () => resolve(false))
  socket.on('end', () => resolve(false))
  socket.on('connect', () => {
    clearTimeout(timer)
    if (text === '' && stays === 0) resolve(true)
    else timer = setTimeout(resolve, text === '' ? stays : textTime, text === '')
  })
  socket.on('data', (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]).subarray(0, readMax)
    if (bytes.includes(text)) resolve(true)
    else if (bytes.length === readMax) resolve(false)
  })
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}
