/** Stored bytes by their SHA-256. What is stored never changes, so writing the same bytes again does nothing. */
import type { Readable } from 'node:stream'

export interface Stored {
  /** 64 lower-case hex digits. */
  readonly hash: string
  readonly size: number
  /** The first bytes, for telling the type. */
  readonly start: Buffer
}

export interface Storage {
  /** Reads the stream to its end; the bytes are there and safe on disk when it returns. Fails when it carries more than `max` bytes (FileTooLarge) or the disk is full (DiskFull), and then leaves nothing behind. */
  put(bytes: Readable | Buffer, max: number): Promise<Stored>
  /** Bytes from `start` to `end` (both inclusive), or all. Null when they are not there. */
  get(
    hash: string,
    range?: { readonly start: number; readonly end: number },
  ): Promise<{ readonly size: number; readonly stream: Readable } | null>
  has(hash: string): Promise<boolean>
  /** Says whether there was something to remove. */
  delete(hash: string): Promise<boolean>
  /** The hashes of all bytes that were put longer ago than this. What broken uploads of that age have left goes. */
  list(olderThanMs: number): AsyncIterable<string>
}

/** The key of stored bytes, in the data folder and in a bucket. */
export const keyOf = (hash: string): string => `uploads/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`
