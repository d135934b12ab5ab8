/** Reads an archive and checks all of it before anything is restored. Nothing is written by name: names are only compared. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract as openExtract } from 'tar-stream'
import { Check } from 'typebox/value'
import { codeOf, StartError } from '../start-error.ts'
import {
  archiveFormat,
  type FileEntry,
  fileEntry,
  keyName,
  Manifest,
  manifestName,
  measure,
  tableEntry,
} from './archive-format.ts'

export interface Archive {
  readonly path: string
  readonly manifest: Manifest
  /** Null in an archive without it. */
  readonly secretKey: string | null
}

const manifestBytesMost = 256 * 1024 ** 2
const keyBytesMost = 64 * 1024

/** Calls `read` for each entry in order; the rest of an entry is skipped. Fails when the file is not a complete tar. */
async function eachEntry(path: string, read: (entry: { name: string; stream: Readable }) => Promise<void>): Promise<void> {
  const extract = openExtract()
  const fed = pipeline(createReadStream(path), extract)
  fed.catch(() => undefined)
  // Leaving the loop early destroys the extractor, which closes the file.
  for await (const entry of extract) {
    const { name, type } = entry.header
    if (type !== 'file') throw new StartError(`${path} is not a backup of Vexil: ${name} is not a file.`)
    await read({ name, stream: entry as unknown as Readable })
    entry.resume()
  }
  await fed
}

/** @throws StartError for any failure */
async function reading<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`The backup ${path} cannot be read: ${reasonOf(error)}.`)
  }
}

function reasonOf(error: unknown): string {
  if (codeOf(error) === 'ENOENT') return 'there is no such file'
  return codeOf(error) || (error as Error).message.replace(/\.$/, '')
}

async function readText(stream: Readable, most: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) throw new Error('a text in it is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** Reads the manifest and the key. @throws StartError for a file that is not a complete backup, or has a newer format */
export async function openArchive(path: string): Promise<Archive> {
  let text: string | null = null
  let secretKey: string | null = null
  const read = eachEntry(path, async ({ name, stream }) => {
    if (name === manifestName) text = await readText(stream, manifestBytesMost)
    if (name === keyName) secretKey = (await readText(stream, keyBytesMost)).trim()
  })
  await reading(path, read)
  if (text === null) throw new StartError(`The backup ${path} is not complete: it has no ${manifestName}.`)
  return { path, manifest: parse(path, text), secretKey }
}

function parse(path: string, text: string): Manifest {
  let manifest: unknown
  try {
    manifest = JSON.parse(text)
  } catch {
    throw new StartError(`The ${manifestName} of ${path} is damaged.`)
  }
  const { format, version } = manifest as { format?: unknown; version?: unknown }
  if (typeof format === 'number' && format > archiveFormat)
    throw new StartError(
      `The backup ${path} has format ${format}, which release ${version} wrote; this release reads formats up to ${archiveFormat}: restore it with a newer release.`,
    )
  if (!Check(Manifest, manifest)) throw new StartError(`The ${manifestName} of ${path} is damaged.`)
  return manifest
}

/** Compares every entry with the manifest. @throws StartError for one that differs, is missing, occurs twice or has an unexpected name */
export async function verifyArchive({ path, manifest }: Archive, progress: (line: string) => void): Promise<void> {
  const expected = new Map<string, string | null>([[manifestName, null]])
  for (const { name, sha256 } of manifest.tables) expected.set(tableEntry(name), sha256)
  const files = manifest.place === 'inside' ? manifest.files : []
  for (const { hash, sha256 } of files) expected.set(fileEntry(hash), sha256)
  const read = eachEntry(path, async ({ name, stream }) => {
    if (name !== keyName && !expected.has(name))
      throw new StartError(`The backup ${path} has an entry that does not belong in it: ${name}.`)
    const sha256 = expected.get(name)
    expected.delete(name)
    if (!sha256) return
    progress(`check ${name}`)
    if ((await hashOf(name, stream)) !== sha256)
      throw new StartError(`The backup ${path} is damaged: ${name} has another checksum.`)
  })
  await reading(path, read)
  const [missing] = expected.keys()
  if (missing !== undefined) throw new StartError(`The backup ${path} is not complete: it has no ${missing}.`)
  if (manifest.place === 'beside') for (const file of manifest.files) await verifyBeside(path, file)
}

async function hashOf(name: string, stream: Readable): Promise<string> {
  const digest = createHash('sha256')
  const chunks = name.startsWith('tables/') ? [stream, createGunzip()] : [stream]
  await pipeline([
    ...chunks,
    async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) digest.update(chunk)
    },
  ] as never)
  return digest.digest('hex')
}

/** Path of a file that is stored beside the archive. */
const besidePath = (archivePath: string, hash: string): string => join(dirname(archivePath), fileEntry(hash))

async function verifyBeside(archivePath: string, { hash, sha256 }: FileEntry): Promise<void> {
  const path = besidePath(archivePath, hash)
  if (!existsSync(path)) throw new StartError(`The backup ${archivePath} is not complete: the file ${path} is missing.`)
  const measured = measure()
  for await (const _ of measured.pass(createReadStream(path)));
  if (measured.read().sha256 !== sha256)
    throw new StartError(`The backup ${archivePath} is damaged: ${path} has another checksum.`)
}

interface Reader {
  /** `rows` is compressed. */
  readonly table: (name: string, rows: Readable) => Promise<void>
  readonly file: (file: FileEntry, bytes: Readable) => Promise<void>
}

/** Calls for each table, then for each file. The archive was verified before. */
export async function readEntries({ path, manifest }: Archive, { table, file }: Reader): Promise<void> {
  const tables = new Map(manifest.tables.map(({ name }) => [tableEntry(name), name]))
  const files = new Map(manifest.files.map((one) => [fileEntry(one.hash), one]))
  await eachEntry(path, async ({ name, stream }) => {
    const [tableName, found] = [tables.get(name), files.get(name)]
    if (tableName !== undefined) await table(tableName, stream)
    else if (found) await file(found, stream)
  })
  if (manifest.place !== 'beside') return
  for (const one of manifest.files) {
    // A file that is not read would stay open.
    await using bytes = createReadStream(besidePath(path, one.hash))
    await file(one, bytes)
  }
}
