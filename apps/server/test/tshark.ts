/** What Wireshark's reader sees in a capture of ours. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const TSHARK = '/usr/bin/tshark'
export const haveTshark = existsSync(TSHARK)

export interface SeenPacket {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly sourcePort: number
  /** `Good` when it holds. */
  readonly checksum: string
  readonly payload: Buffer
}

/** All packets of a file, in their order. */
export function readWithTshark(path: string): SeenPacket[] {
  const fields = ['frame.time_epoch', 'udp.srcport', 'udp.checksum.status', 'udp.payload']
  const args = ['-n', '-r', path, '-o', 'udp.check_checksum:TRUE', '-T', 'fields', ...fields.flatMap((field) => ['-e', field])]
  const text = execFileSync(TSHARK, args, { encoding: 'utf8', maxBuffer: 200_000_000, stdio: ['ignore', 'pipe', 'ignore'] })
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [at, port, status, payload = ''] = line.split('\t')
      return {
        at: Number(at) * 1000,
        sourcePort: Number(port),
        checksum: status === '1' ? 'Good' : `status ${status}`,
        payload: Buffer.from(payload, 'hex'),
      }
    })
}
