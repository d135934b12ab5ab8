import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Deps } from '../deps.ts'
import { hasRoom } from '../ports/storage/room.ts'
import { type Capture, type CaptureFacts, openCapture } from './capture.ts'
import { captureFolder } from './captures.ts'
import type { End } from './pcap.ts'
import type { TunnelTarget } from './tunnels.queries.ts'

/** Milliseconds between two warnings with one reason about one challenge. On a full disk every connection fails. */
const warnIntervalMs = 60_000
const warningsMax = 1_000

interface CaptureOf {
  readonly containerId: string
  readonly container: Socket
  readonly target: TunnelTarget
}

/** Opens captures of connections; null for one whose traffic is not captured. `now`: a monotonic clock in milliseconds. */
export function openCaptures({ config, log }: Pick<Deps, 'config' | 'log'>, now: () => number = () => performance.now()) {
  const warned = new LRUCache<string, number>({ max: warningsMax })

  function warn({ Challenge, ChallengeId }: CaptureFacts, { code, message: reason }: NodeJS.ErrnoException): void {
    // The message of an error with a code contains the path of the file.
    const about = `${ChallengeId} ${code ?? reason}`
    if (now() - (warned.get(about) ?? Number.NEGATIVE_INFINITY) < warnIntervalMs) return
    warned.set(about, now())
    const message = `Could not capture traffic of ${Challenge} (#${ChallengeId}): ${reason}`
    log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
  }

  return (from: End, { containerId, container, target }: CaptureOf): Capture | null => {
    if (!config.containerCapture || !target.capture) return null
    const { facts, participationId } = target.capture
    return openCapture({
      folder: captureFolder(config.dataDir, facts.ChallengeId, participationId),
      containerId,
      facts,
      client: from,
      container: { address: container.remoteAddress ?? target.host, port: target.port },
      hasRoom: () => hasRoom(config.dataDir),
      failed: (error) => warn(facts, error as Error),
    })
  }
}

/** Copies all bytes that are written to and read from a connection to a capture. */
export function listenIn(container: Socket, capture: Capture): void {
  container.on('data', (chunk: Buffer) => capture.write('out', chunk))
  const write = container.write.bind(container) as (...args: unknown[]) => boolean
  container.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    const encoding = typeof rest[0] === 'string' ? (rest[0] as BufferEncoding) : 'utf8'
    capture.write('in', typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)
    return write(chunk, ...rest)
  }) as Socket['write']
}
