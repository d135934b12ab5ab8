/** What a test container sends on its port and prints, so that an editor sees whether the image works. */
import { isIPv6, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TriedContainer } from '@vexil/contract/challenges'
import { tryLimits } from '@vexil/core/limits'
import { ContainerNotRunning } from '@vexil/core/rules'
import { getChallenge } from '../challenges/challenges.queries.ts'
import { severalOf } from '../challenges/challenges.view.ts'
import { findContainer } from '../challenges/container-info.ts'
import type { Deps } from '../deps.ts'
import { dial } from './tunnel.ts'

/** @throws GameNotFound, ChallengeNotFound, ContainerNotRunning */
export async function tryTestContainer(
  { db, engine, config }: Pick<Deps, 'db' | 'engine' | 'config'>,
  { gameId, challengeId }: { readonly gameId: number; readonly challengeId: number },
): Promise<TriedContainer> {
  const challenge = await getChallenge(db, gameId, challengeId)
  const row = await findContainer(db, { challengeId, participationId: null })
  if (row?.state !== 'Running' || row.host === null || row.port === null) throw new ContainerNotRunning()
  const { host, port } = row
  const probePort = async (one: { readonly port: number; readonly publishedPort: number | null }): Promise<Answered> => {
    if (engine.dialsPublished && one.publishedPort !== null)
      return probe(row.publishedHost ?? config.containerEntry, one.publishedPort)
    return engine.reaches(host) ? probe(host, one.port) : { answer: 'unreachable', firstLine: null }
  }
  const first = { port, publishedPort: row.publishedPort }
  const [answered, ...named] = await Promise.all([first, ...row.namedPorts].map(probePort))
  const ports = named.map((one, at) => ({ name: row.namedPorts[at]?.name ?? '', ...one }))
  // After the answers, to include what the containers print about the connections.
  const print = (name?: string) => engine.logs(row.id, tryLimits.lines, name).catch(() => null)
  const names = severalOf(challenge).additionalContainers.map(({ name }) => name)
  const containers = await Promise.all(names.map(async (name) => ({ name, printed: await print(name) })))
  return { ...(answered as Answered), printed: await print(), ports, containers }
}

type Answered = Pick<TriedContainer, 'answer' | 'firstLine'>

/** Milliseconds. */
type Waits = Readonly<Record<'startsWithin' | 'greetsWithin' | 'answersWithin', number>>

/** Waits for a greeting, then sends an HTTP request. Retries refused connections. Takes at most about `startsWithin + greetsWithin + answersWithin`. */
export async function probe(host: string, port: number, waits: Waits = tryLimits): Promise<Answered> {
  const socket = await dialUntil(host, port, performance.now() + waits.startsWithin)
  if (!socket) return { answer: 'unreachable', firstLine: null }
  try {
    let bytes = await firstBytes(socket, waits.greetsWithin)
    if (bytes.length === 0 && !socket.readableEnded) {
      socket.write(`GET / HTTP/1.1\r\nHost: ${isIPv6(host) ? `[${host}]` : host}:${port}\r\nConnection: close\r\n\r\n`)
      bytes = await firstBytes(socket, waits.answersWithin)
    }
    const firstLine = readFirstLine(bytes)
    if (firstLine === '') return { answer: 'nothing', firstLine: null }
    return { answer: /^HTTP\/1\.[01] \d{3}\b/.test(firstLine) ? 'http' : 'text', firstLine }
  } finally {
    socket.destroy()
  }
}

async function dialUntil(host: string, port: number, until: number): Promise<Socket | undefined> {
  for (;;) {
    const socket = await dial(host, port).catch(() => undefined)
    if (socket || performance.now() >= until) return socket
    await sleep(250)
  }
}

/** Reads until a line is complete, `responseMax` bytes have arrived, the other side ends or the time is over. */
function firstBytes(socket: Socket, withinMs: number): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  let bytes = Buffer.alloc(0)
  const done = () => {
    clearTimeout(late)
    socket.off('data', receive).off('close', done).off('end', done)
    resolve(bytes)
  }
  const receive = (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]).subarray(0, tryLimits.responseMax)
    if (bytes.length === tryLimits.responseMax || bytes.toString('latin1').trimStart().includes('\n')) done()
  }
  const late = setTimeout(done, withinMs)
  socket.on('data', receive).on('close', done).on('end', done)
  return promise
}

/** The first line that is not blank, with unprintable characters replaced by spaces. */
function readFirstLine(bytes: Buffer): string {
  const lines = bytes.toString('utf8').split(/\r?\n/)
  const shown = lines.map((line) => line.replace(/[\p{C}\uFFFD]+/gu, ' ').trim())
  return shown.find((line) => line !== '') ?? ''
}
