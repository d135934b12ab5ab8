/**
 * Captured traffic: `capture/{challenge}/{participation}/…pcap` in each of the `places` (`Deps.captures`). They are searched in their order: a file
 * moves from the first to the second, and is complete there before it is removed here, so it is always found.
 */
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { captureFormats } from '@vexil/contract/captures'
import { CaptureFileNotFound, CaptureNotFound } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import type { ZipEntry } from '../files/zip-stream.ts'
import type { NamedFiles } from '../ports/storage/named-files.ts'
import { tcpCapture } from './tcp-capture.ts'

type Places = readonly (NamedFiles | undefined)[]

export interface CaptureFile {
  /** With its folders. */
  readonly path: string
  readonly participationId: number
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly changedAt: Date
}

/** Without a number: of all challenges, or of all participations. */
const folderOf = (...ids: readonly number[]) => `${['capture', ...ids].join('/')}/`
export const captureFolder = (dataDir: string, challengeId: number, participationId: number): string =>
  join(dataDir, 'capture', String(challengeId), String(participationId))

const form = /^capture\/[1-9]\d{0,9}\/([1-9]\d{0,9})\/([\w.-]{1,250}\.pcap)$/

/** Other files are skipped. */
export async function* capturesIn(place: NamedFiles, ...ids: readonly number[]): AsyncGenerator<CaptureFile> {
  for await (const { name: path, size, changedAt } of place.list(folderOf(...ids))) {
    const [, participationId, name] = form.exec(path) ?? []
    if (name) yield { path, participationId: Number(participationId), name, size, changedAt }
  }
}

async function listIn(places: Places, ...ids: readonly number[]): Promise<CaptureFile[]> {
  const found = new Map<string, CaptureFile>()
  for (const place of places)
    if (place) for await (const file of capturesIn(place, ...ids)) if (!found.has(file.path)) found.set(file.path, file)
  return [...found.values()]
}

const numbersIn = async (place: NamedFiles | undefined, folder: string): Promise<number[]> =>
  ((await place?.folders(folder)) ?? []).filter((name) => /^[1-9]\d{0,9}$/.test(name)).map(Number)

/** Number of participations with captured traffic. */
export async function countParticipations(places: Places, challengeId: number): Promise<number> {
  const found = await Promise.all(places.map((place) => numbersIn(place, folderOf(challengeId))))
  return new Set(found.flat()).size
}

/** Number of files of each participation that has any. */
export async function countFiles(places: Places, challengeId: number): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (const { participationId } of await listIn(places, challengeId))
    counts.set(participationId, (counts.get(participationId) ?? 0) + 1)
  return counts
}

export async function listFiles(places: Places, challengeId: number, participationId: number): Promise<CaptureFile[]> {
  const files = await listIn(places, challengeId, participationId)
  return files.sort((a, b) => a.changedAt.getTime() - b.changedAt.getTime() || (a.name < b.name ? -1 : 1))
}

/** Accepts only names of files in this folder, which prevents path traversal. @throws CaptureFileNotFound */
function pathOf(challengeId: number, participationId: number, name: string): string {
  const path = `${folderOf(challengeId, participationId)}${name}`
  if (!form.test(path)) throw new CaptureFileNotFound()
  return path
}

type Format = (typeof captureFormats)[number]

async function open(places: Places, path: string, format: Format): Promise<{ size: number | null; stream: Readable } | null> {
  for (const place of places) {
    const found = await place?.get(path)
    if (!found) continue
    if (format === 'udp') return found
    // As bytes, not as objects.
    const stream = Readable.from(tcpCapture(found.stream), { objectMode: false })
    // A stream that was not read yet would leave its file open.
    stream.once('close', () => found.stream.destroy())
    return { size: null, stream }
  }
  return null
}

/** `size`: bytes, null where the length of the answer is not known. @throws CaptureFileNotFound */
export async function openFile(
  places: Places,
  { challengeId, participationId, name, format }: { challengeId: number; participationId: number; name: string; format: Format },
): Promise<{ size: number | null; stream: Readable }> {
  const found = await open(places, pathOf(challengeId, participationId, name), format)
  if (!found) throw new CaptureFileNotFound()
  return found
}

/** Files that are deleted in the meantime are left out. @throws CaptureNotFound */
export async function zipEntries(
  places: Places,
  {
    challengeId,
    participationId,
    inner,
    format,
  }: { challengeId: number; participationId: number; inner: string; format: Format },
): Promise<AsyncGenerator<ZipEntry>> {
  const files = await listFiles(places, challengeId, participationId)
  if (files.length === 0) throw new CaptureNotFound()
  return (async function* (): AsyncGenerator<ZipEntry> {
    for (const { path, name, changedAt } of files) {
      const found = await open(places, path, format)
      if (found) yield { name: `${inner}/${name}`, time: changedAt, stream: found.stream }
    }
  })()
}

/** @throws CaptureFileNotFound */
export async function deleteFile(places: Places, challengeId: number, participationId: number, name: string): Promise<void> {
  const path = pathOf(challengeId, participationId, name)
  let existed = false
  for (const place of places) if (await place?.delete(path)) existed = true
  if (!existed) throw new CaptureFileNotFound()
}

/** @throws CaptureNotFound */
export async function deleteAll(places: Places, challengeId: number, participationId: number): Promise<void> {
  if ((await listIn(places, challengeId, participationId)).length === 0) throw new CaptureNotFound()
  for (const place of places) await place?.deleteFolder(folderOf(challengeId, participationId))
}

/** Challenges with captured traffic. */
export const listCaptured = (place: NamedFiles): Promise<number[]> => numbersIn(place, folderOf())

/** Removes the captured traffic of a challenge that was deleted. */
export const deleteOfChallenge = (place: NamedFiles, challengeId: number): Promise<void> =>
  place.deleteFolder(folderOf(challengeId))

const deletionsAtOnce = 16

/** Removes files that are too old, then the oldest until the rest fits. A file that is being written is newer than all others. */
export async function sweepCaptures(
  place: NamedFiles,
  { captureDays, captureGb }: Pick<Deps['config'], 'captureDays' | 'captureGb'>,
  signal: AbortSignal,
): Promise<void> {
  const all = (await listIn([place])).sort((a, b) => a.changedAt.getTime() - b.changedAt.getTime())
  const oldest = Date.now() - captureDays * 86_400_000
  let total = all.reduce((sum, { size }) => sum + size, 0)
  const tooMany = all.findIndex(({ size, changedAt }) => {
    if (changedAt.getTime() >= oldest && total <= captureGb * 1e9) return true
    total -= size
    return false
  })
  const paths = (tooMany < 0 ? all : all.slice(0, tooMany)).map(({ path }) => path)
  for (let from = 0; from < paths.length && !signal.aborted; from += deletionsAtOnce)
    await Promise.all(paths.slice(from, from + deletionsAtOnce).map((path) => place.delete(path)))
}
