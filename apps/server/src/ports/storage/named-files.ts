/** Files with the names that they were given, such as `capture/7/3/a.pcap`: captured traffic. */
import type { Readable } from 'node:stream'

export interface NamedFile {
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** In a bucket the time at which it was stored. */
  readonly changedAt: Date
}

/** Folders are names that end with a slash. A missing file or folder is no error. */
export interface NamedFiles {
  /** The folder or bucket, for messages. */
  readonly place: string
  /** Copies a file of this machine, whole or not at all, and replaces one of this name. @throws when the file at `path` is missing */
  put(name: string, path: string, signal: AbortSignal): Promise<void>
  /** The bytes that are there now, also when the file grows or is deleted later; null if it does not exist. */
  get(name: string): Promise<{ readonly size: number; readonly stream: Readable } | null>
  delete(name: string): Promise<boolean>
  deleteFolder(folder: string): Promise<void>
  /** All files in the folder and in the folders below. A bucket takes one request for each 1,000. */
  list(folder: string): AsyncIterable<NamedFile>
  /** Names of the folders in this one, without slashes. A bucket takes one request for each 1,000. */
  folders(folder: string): Promise<string[]>
}
