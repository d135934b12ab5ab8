/** How capture tools read our captures. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const TSHARK = '/usr/bin/tshark'
const TCPFLOW = '/usr/bin/tcpflow'
export const haveCaptureTools = existsSync(TSHARK) && existsSync(TCPFLOW)

export interface SeenPacket {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly sourcePort: number
  /** `Good` if it is correct. */
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

/** The bytes of the first TCP stream of a file, from the client and from the container. */
export function followWithTshark(path: string): { client: Buffer; container: Buffer } {
  const args = ['-n', '-q', '-r', path, '-o', 'tcp.check_checksum:TRUE', '-z', 'follow,tcp,raw,0']
  const text = execFileSync(TSHARK, args, { encoding: 'utf8', maxBuffer: 200_000_000, stdio: ['ignore', 'pipe', 'ignore'] })
  const lines = text.split('\n').filter((line) => /^\t?[0-9a-f]+$/.test(line))
  const bytes = (isContainer: boolean) =>
    Buffer.concat(lines.filter((line) => line.startsWith('\t') === isContainer).map((line) => Buffer.from(line.trim(), 'hex')))
  return { client: bytes(false), container: bytes(true) }
}

/** Problems that tshark finds in a file's TCP packets, such as a missing segment; empty when it is a valid conversation. */
export function tcpProblems(path: string): string[] {
  const args = ['-n', '-r', path, '-o', 'tcp.check_checksum:TRUE', '-Y', 'tcp.analysis.flags || tcp.checksum.status != 1']
  return execFileSync(TSHARK, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter((line) => line !== '')
}

/** The content of each stream that tcpflow finds in a file. */
export function followWithTcpflow(path: string): Buffer[] {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-tcpflow-'))
  try {
    execFileSync(TCPFLOW, ['-q', '-r', path, '-o', folder], { stdio: 'ignore' })
    const names = readdirSync(folder).filter((name) => name !== 'report.xml')
    return names.map((name) => readFileSync(join(folder, name)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
