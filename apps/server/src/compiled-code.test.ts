import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compiledFolder } from './compiled-code.ts'
import { lockName } from './data-dir.ts'

test('compiled code is stored where no other user can write: in the data folder from the second start on, for root in the system cache', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil compiled '))
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? 12_345 : (process.getuid?.() as number)
  try {
    if (isRoot) chownSync(dataDir, user, user)
    expect(compiledFolder({ DATA_DIR: dataDir }, user)).toBeNull()
    writeFileSync(join(dataDir, lockName), '')
    expect(compiledFolder({ DATA_DIR: ` ${dataDir}` }, user)).toBe(join(dataDir, 'compiled'))
    expect(compiledFolder({ DATA_DIR: dataDir }, user + 1)).toBeNull()
    expect(compiledFolder({ DATA_DIR: join(dataDir, 'missing') }, user)).toBeNull()
    expect(compiledFolder({ DATA_DIR: dataDir }, 0)).toBe('/var/cache/vexil')
  } finally {
    rmSync(dataDir, { recursive: true })
  }
})
