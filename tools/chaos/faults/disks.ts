/** Full disks: a file fills the rest of a file system of 256 MB. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from './fault.ts'

const full = (where: 'data' | 'database'): Fault => ({
  name: `disk-full-${where}`,
  how: `a file fills the disk below ${where === 'data' ? 'DATA_DIR' : 'PostgreSQL'}; it is removed after 5 s`,
  missing: ({ small }) => (small ? null : 'only root can mount a file system of 256 MB'),
  seconds: 5,
  async plant({ small }) {
    const file = join((small as NonNullable<typeof small>)[where], 'ballast')
    const ballast = openSync(file, 'w')
    for (const size of [1 << 20, 4096]) {
      try {
        for (;;) writeSync(ballast, Buffer.alloc(size, 1))
      } catch {
        // The disk is full.
      }
    }
    closeSync(ballast)
    return async () => rmSync(file)
  },
})

export const diskFaults: readonly Fault[] = [full('data'), full('database')]
