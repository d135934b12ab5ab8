/** Writes the traffic of one connection to a file without delaying or breaking the connection: bytes that the disk cannot take are counted and marked. */
import { randomInt } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { inFolder } from '../ports/storage/kept-file.ts'
import { type End, fileHeader, payloadMost, udpFlow, udpRecord } from './pcap.ts'

export interface CaptureFacts {
  readonly Challenge: string
  readonly ChallengeId: number
  readonly Team: string
  readonly TeamId: number
  readonly ContainerId: string
  readonly Flag: string | null
}

export interface CaptureOptions {
  /** Created with mode 0700: the facts contain the flag. Files have mode 0600, and 0400 when they are complete. */
  readonly folder: string
  /** GUID of the container; its first 8 digits name the file. */
  readonly containerId: string
  readonly facts: CaptureFacts
  readonly client: End
  readonly container: End
  readonly hasRoom: () => Promise<boolean>
  /** Called once when a write fails. */
  readonly failed: (error: unknown) => void
}

export interface Capture {
  write(direction: 'in' | 'out', bytes: Uint8Array): void
  close(): Promise<void>
}

/** Queued bytes of one connection: at 25 MB/s enough for a pause of 0.3 s. */
const waitingMost = 8 * 1024 * 1024
const waitingMostOfAll = 64 * 1024 * 1024
let waitingOfAll = 0
const fileMost = 64 * 1024 * 1024
/** The sender of the platform's own records: the facts and the missing bytes. */
const platform: End = { address: '0.0.0.0', port: 65_535 }

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const connectionId = () => Array.from({ length: 13 }, () => letters[randomInt(letters.length)]).join('')

const now = () => performance.timeOrigin + performance.now()

interface FilesOptions extends Pick<CaptureOptions, 'folder' | 'containerId' | 'hasRoom'> {
  /** The first record of each file. */
  readonly first: (at: number) => readonly Buffer[]
}

function openFiles({ folder, containerId, hasRoom, first }: FilesOptions) {
  const name = `${containerId.replaceAll('-', '').slice(0, 8)}-${connectionId()}`
  let file: FileHandle | null = null
  let files = 0
  let size = 0
  async function close(): Promise<void> {
    const finished = file
    file = null
    // This mode shows other processes of the node that the file is complete.
    await finished?.chmod(0o400).finally(() => finished.close())
  }
  return {
    isFull: () => file === null || size >= fileMost,
    /** `at`: the time of its first record, not later than that of the next one. */
    async next(at: number) {
      await close()
      if (!(await hasRoom())) throw new Error('The disk is nearly full')
      const path = join(folder, `${name}${files === 0 ? '' : `-${files + 1}`}.pcap`)
      file = await inFolder(folder, () => open(path, 'wx', 0o600))
      files++
      const head = Buffer.concat([fileHeader(), ...first(at)])
      await file.write(head)
      size = head.length
    },
    async write(records: readonly Uint8Array[]) {
      const bytes = records.reduce((sum, { length }) => sum + length, 0)
      const written = await file?.writev(records)
      size += bytes
      // The system stores what fits; a later record would follow half of another.
      if (written?.bytesWritten !== bytes) throw new Error('The disk is full')
    },
    close,
  }
}

/** Both directions, and the records of the platform: metadata and what is missing. */
const flowsOf = ({ client, container }: Pick<CaptureOptions, 'client' | 'container'>) => ({
  in: udpFlow(client, container),
  out: udpFlow(container, client),
  platform: udpFlow(platform, client),
})

export function openCapture({ folder, containerId, facts, client, container, hasRoom, failed }: CaptureOptions): Capture {
  const flows = flowsOf({ client, container })
  const note = (at: number, text: string) => {
    const payload = Buffer.from(text)
    return [udpRecord(at, flows.platform, payload), payload]
  }
  const files = openFiles({ folder, containerId, hasRoom, first: (at) => note(at, JSON.stringify(facts, null, 2)) })
  let broken = false
  let waiting: Uint8Array[] = []
  let waitingSince = now()
  let waitingBytes = 0
  const missing = { packets: 0, in: 0, out: 0 }
  let writing: Promise<void> | null = null

  function forgetWaiting(): void {
    waiting = []
    waitingOfAll -= waitingBytes
    waitingBytes = 0
  }

  function takeWaiting(): Uint8Array[] {
    const records = waiting
    forgetWaiting()
    if (missing.packets > 0) {
      records.push(...note(now(), `${JSON.stringify({ Missing: missing })}\n`))
      missing.packets = missing.in = missing.out = 0
    }
    return records
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0 || missing.packets > 0) {
      if (files.isFull()) await files.next(waitingSince)
      await files.write(takeWaiting())
    }
  }

  function run(work: () => Promise<void>): void {
    if (writing || broken) return
    writing = work()
      .catch((error) => {
        broken = true
        forgetWaiting()
        failed(error)
      })
      .finally(() => {
        writing = null
        if (waiting.length > 0) run(writeAll)
      })
  }
  // A connection without bytes is recorded too.
  run(() => files.next(waitingSince))

  return {
    write(direction, bytes) {
      if (broken) return
      for (let start = 0; start < bytes.length; start += payloadMost) {
        const part = bytes.subarray(start, start + payloadMost)
        // After a loss everything is dropped until the marker is written, to preserve the order.
        const full = waitingBytes + part.length > waitingMost || waitingOfAll + part.length > waitingMostOfAll
        if (full || missing.packets > 0) {
          missing.packets++
          missing[direction] += part.length
          continue
        }
        const at = now()
        if (waiting.length === 0) waitingSince = at
        const head = udpRecord(at, flows[direction], part)
        waiting.push(head, part)
        waitingBytes += head.length + part.length
        waitingOfAll += head.length + part.length
      }
      run(writeAll)
    },
    async close() {
      while (writing) await writing
      run(writeAll)
      while (writing) await writing
      await files.close()
    },
  }
}
