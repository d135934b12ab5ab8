/** Transfers over a connection to a container, bare or through the platform proxy. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import type { Platform } from '../../e2e/platform.ts'
import { quantile } from './figures.ts'

export const bytes = 200 * 1024 * 1024

/** A connection to a container: bare TCP, or the WebSocket of the platform. */
export interface Line {
  /** Resolves when the other side accepts more data. */
  send(data: Buffer | string): Promise<void>
  onData(hear: (data: Buffer) => void): void
  pause(): void
  resume(): void
  close(): void
}

export async function overTcp(where: { host: string; port: number }): Promise<Line> {
  const socket = connect({ ...where, noDelay: true })
  await once(socket, 'connect')
  return {
    send: async (data) => void (socket.write(data) || (await once(socket, 'drain'))),
    onData: (hear) => void socket.on('data', hear),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.destroy(),
  }
}

export async function overProxy(of: Platform, entry: string): Promise<Line> {
  const socket = new WebSocket(`${of.url.replace('http', 'ws')}/api/proxy/${entry}`)
  await once(socket, 'open')
  return {
    send: (data) => new Promise((done, failed) => socket.send(data, (error) => (error ? failed(error) : done()))),
    onData: (hear) => void socket.on('message', hear),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    close: () => void socket.terminate(),
  }
}

export async function download(line: Line): Promise<number> {
  const startedAt = performance.now()
  await receive(line)
  return performance.now() - startedAt
}

/** The reader pauses for 10 ms after each 256 KB: about 20 MB/s. */
export async function slowDownload(line: Line): Promise<number> {
  const startedAt = performance.now()
  let sinceRest = 0
  await receive(line, (length) => {
    sinceRest += length
    if (sinceRest < 256 * 1024) return
    sinceRest = 0
    line.pause()
    setTimeout(line.resume, 10)
  })
  return performance.now() - startedAt
}

function receive(line: Line, heard: (length: number) => void = () => undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let got = 0
  line.onData((data) => {
    got += data.length
    heard(data.length)
    if (got >= bytes) resolve()
  })
  return line.send(`dd if=/dev/zero bs=64k count=${bytes / 65_536} 2>/dev/null\n`).then(() => promise)
}

/** Sends a command line to the shell, and waits until the shell has read it: data that arrives earlier would be part of the line. */
async function begin(line: Line, command: string): Promise<void> {
  const read = new Promise<void>((resolve) => line.onData((data) => data.toString().includes('begun') && resolve()))
  await line.send(`echo begun; ${command}\n`)
  await read
}

export async function upload(line: Line): Promise<number> {
  const startedAt = performance.now()
  const heard = new Promise<void>((resolve) => line.onData((data) => data.toString().includes('done') && resolve()))
  await begin(line, `busybox head -c ${bytes} >/dev/null; echo done`)
  const chunk = Buffer.alloc(65_536, 'x')
  for (let sent = 0; sent < bytes; sent += chunk.length) await line.send(chunk)
  await heard
  return performance.now() - startedAt
}

/** Median round-trip time in ms of 3,000 messages of 16 bytes. */
export async function pingPong(line: Line): Promise<number> {
  let answered = (): void => undefined
  let got = 0
  await begin(line, 'exec cat')
  line.onData((data) => {
    got += data.length
    if (got % 16 === 0) answered()
  })
  const each: number[] = []
  for (let i = 0; i < 3000; i++) {
    const startedAt = performance.now()
    const back = new Promise<void>((resolve) => {
      answered = resolve
    })
    await line.send('0123456789abcdef')
    await back
    each.push(performance.now() - startedAt)
  }
  return quantile(each, 0.5)
}
