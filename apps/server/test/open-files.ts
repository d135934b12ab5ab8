import { readdirSync, readlinkSync } from 'node:fs'

/** Paths in the folder that this process has open; Linux. */
export function openFilesIn(folder: string): string[] {
  const pathOf = (handle: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${handle}`)
    } catch {
      // The handle of the listing itself.
      return ''
    }
  }
  return readdirSync('/proc/self/fd')
    .map(pathOf)
    .filter((path) => path.startsWith(folder))
}
