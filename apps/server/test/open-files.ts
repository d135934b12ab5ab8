import { readdirSync, readlinkSync } from 'node:fs'

/** Paths in the folder that this process holds open; Linux. */
export function openFilesIn(folder: string): string[] {
  const pathOf = (handle: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${handle}`)
    } catch {
      // That of the listing itself.
      return ''
    }
  }
  return readdirSync('/proc/self/fd')
    .map(pathOf)
    .filter((path) => path.startsWith(folder))
}
