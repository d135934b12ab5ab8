/** Bytes stored by their SHA-256. They never change, so storing the same bytes again has no effect. */
import type { Readable } from 'node:stream'

export interface Stored {
  /** 64 lower-case hex digits. */
  readonly hash: string
  readonly size: number
  /** The first bytes, for type detection. */
  readonly start: Buffer
}

export interface Storage {
  /** Reads the stream to its end and syncs the bytes to disk. Leaves nothing behind on an error. @throws FileTooLarge above `max` bytes, DiskFull */
  put(bytes: Readable | Buffer, max: number): Promise<Stored>
  /** Bytes from `start` to `end` (both inclusive), or all; null if they do not exist. */
  get(
    hash: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<{ readonly size: number; readonly stream: Readable } | null>
  has(hash: string): Promise<boolean>
  delete(hash: string): Promise<boolean>
  /** Hashes of all bytes stored longer ago than this. Also removes remains of failed uploads of that age. */
  list(olderThanMs: number): AsyncIterable<string>
}

export const keyOf = (hash: string): string => `uploads/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`
