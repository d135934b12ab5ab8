import type { Socket } from 'node:net'
import type { Deps } from '../deps.ts'
import { hasRoom } from '../ports/storage/room.ts'
import { type Capture, openCapture } from './capture.ts'
import { captureFolder } from './captures.ts'
import type { End } from './pcap.ts'
import type { TunnelTarget } from './tunnels.queries.ts'

/** Returns null for a container whose traffic is not captured. */
export function captureOf(
  { config, log }: Pick<Deps, 'config' | 'log'>,
  from: End,
  { containerId, container, target }: { readonly containerId: string; readonly container: Socket; readonly target: TunnelTarget },
): Capture | null {
  if (!config.containerCapture || !target.capture) return null
  const { facts, participationId } = target.capture
  return openCapture({
    folder: captureFolder(config.dataDir, facts.ChallengeId, participationId),
    containerId,
    facts,
    client: from,
    container: { address: container.remoteAddress ?? target.host, port: target.port },
    hasRoom: () => hasRoom(config.dataDir),
    failed: (error) => {
      const message = `Could not capture traffic of ${facts.Challenge} (#${facts.ChallengeId}): ${(error as Error).message}`
      log.write({ level: 'Warning', status: 'Failed', name: 'System', message })
    },
  })
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
