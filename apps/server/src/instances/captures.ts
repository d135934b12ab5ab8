/** Folders of captured traffic: `capture/{challenge}/{participation}/…pcap` in the data folder of the node that a connection went through. */
import { createReadStream } from 'node:fs'
import { readdir, rm, rmdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { captureFormats } from '@vexil/contract/captures'
import { CaptureFileNotFound, CaptureNotFound } from '@vexil/core/rules'
import type { ZipEntry } from '../files/zip-stream.ts'
import { codeOf } from '../start-error.ts'
import { tcpCapture } from './tcp-capture.ts'

export interface CaptureFile {
  readonly name: string
  readonly size: number
  readonly changedAt: Date
}

const rootOf = (dataDir: string) => join(dataDir, 'capture')
const ofChallenge = (dataDir: string, challengeId: number) => join(rootOf(dataDir), String(challengeId))
export const captureFolder = (dataDir: string, challengeId: number, participationId: number): string =>
  join(ofChallenge(dataDir, challengeId), String(participationId))

/** Keeps the larger of 2 GB and 5 % free for the database. */
export async function hasRoom(dataDir: string): Promise<boolean> {
  const { bavail, blocks, bsize } = await statfs(dataDir)
  return bavail * bsize > Math.max(2e9, blocks * bsize * 0.05)
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return []
    throw error
  }
}

const numbersIn = async (folder: string): Promise<number[]> =>
  (await entriesOf(folder)).filter((name) => /^[1-9]\d{0,9}$/.test(name)).map(Number)

export const listParticipations = (dataDir: string, challengeId: number): Promise<number[]> =>
  numbersIn(ofChallenge(dataDir, challengeId))

export async function listFiles(dataDir: string, challengeId: number, participationId: number): Promise<CaptureFile[]> {
  const folder = captureFolder(dataDir, challengeId, participationId)
  const files: CaptureFile[] = []
  for (const name of await entriesOf(folder)) {
    const found = name.endsWith('.pcap') ? await stat(join(folder, name)).catch(() => null) : null
    if (found?.isFile()) files.push({ name, size: found.size, changedAt: found.mtime })
  }
  return files.sort((a, b) => a.changedAt.getTime() - b.changedAt.getTime() || (a.name < b.name ? -1 : 1))
}

/** Accepts only names of files in this folder, which prevents path traversal. @throws CaptureFileNotFound */
async function pathOf(folder: string, name: string): Promise<string> {
  if (!(await entriesOf(folder)).includes(name) || !name.endsWith('.pcap')) throw new CaptureFileNotFound()
  return join(folder, name)
}

type Format = (typeof captureFormats)[number]

/** Reads up to the present length, because a running capture grows. */
function read(path: string, size: number, format: Format): Readable {
  const file = createReadStream(path, { end: Math.max(0, size - 1) })
  // As bytes, not as objects.
  return format === 'tcp' ? Readable.from(tcpCapture(file), { objectMode: false }) : file
}

/** `size`: bytes, null where the length of the answer is not known. @throws CaptureFileNotFound */
export async function openFile(
  dataDir: string,
  { challengeId, participationId, name, format }: { challengeId: number; participationId: number; name: string; format: Format },
): Promise<{ size: number | null; stream: Readable }> {
  const path = await pathOf(captureFolder(dataDir, challengeId, participationId), name)
  const { size } = await stat(path)
  return { size: format === 'tcp' ? null : size, stream: read(path, size, format) }
}

/** @throws CaptureNotFound */
export async function zipEntries(
  dataDir: string,
  {
    challengeId,
    participationId,
    inner,
    format,
  }: { challengeId: number; participationId: number; inner: string; format: Format },
): Promise<AsyncGenerator<ZipEntry>> {
  const files = await listFiles(dataDir, challengeId, participationId)
  if (files.length === 0) throw new CaptureNotFound()
  return (async function* (): AsyncGenerator<ZipEntry> {
    for (const { name, size, changedAt } of files) {
      const path = join(captureFolder(dataDir, challengeId, participationId), name)
      yield { name: `${inner}/${name}`, time: changedAt, stream: read(path, size, format) }
    }
  })()
}

/** @throws CaptureFileNotFound */
export async function deleteFile(dataDir: string, challengeId: number, participationId: number, name: string): Promise<void> {
  const folder = captureFolder(dataDir, challengeId, participationId)
  await rm(await pathOf(folder, name))
  await removeEmpty(dataDir, challengeId, participationId)
}

/** @throws CaptureNotFound */
export async function deleteAll(dataDir: string, challengeId: number, participationId: number): Promise<void> {
  const folder = captureFolder(dataDir, challengeId, participationId)
  if ((await listFiles(dataDir, challengeId, participationId)).length === 0) throw new CaptureNotFound()
  await rm(folder, { recursive: true, force: true })
  await removeEmpty(dataDir, challengeId, participationId)
}

/** Keeps folders that are not empty: another connection may have started a file. */
async function removeEmpty(dataDir: string, challengeId: number, participationId: number): Promise<void> {
  for (const folder of [captureFolder(dataDir, challengeId, participationId), ofChallenge(dataDir, challengeId)])
    await rmdir(folder).catch(() => undefined)
}

/** Challenges with captured traffic. */
export const listCaptured = (dataDir: string): Promise<number[]> => numbersIn(rootOf(dataDir))

/** Removes the captured traffic of a challenge that was deleted. */
export const deleteOfChallenge = (dataDir: string, challengeId: number): Promise<void> =>
  rm(ofChallenge(dataDir, challengeId), { recursive: true, force: true })

/** Removes files that are too old, then the oldest until the rest fits. A file that is being written is newer than all others. */
export async function sweepCaptures(
  dataDir: string,
  { days, bytes, signal }: { readonly days: number; readonly bytes: number; readonly signal: AbortSignal },
): Promise<void> {
  const all: (CaptureFile & { readonly challengeId: number; readonly participationId: number })[] = []
  for (const challengeId of await listCaptured(dataDir))
    for (const participationId of await listParticipations(dataDir, challengeId))
      for (const file of await listFiles(dataDir, challengeId, participationId))
        all.push({ ...file, challengeId, participationId })
  all.sort((a, b) => a.changedAt.getTime() - b.changedAt.getTime())
  let total = all.reduce((sum, { size }) => sum + size, 0)
  const oldest = Date.now() - days * 86_400_000
  for (const { challengeId, participationId, name, size, changedAt } of all) {
    if (signal.aborted || (changedAt.getTime() >= oldest && total <= bytes)) return
    await deleteFile(dataDir, challengeId, participationId, name).catch(() => undefined)
    total -= size
  }
}
