import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { openLocalStorage } from './local.ts'
import { storageSuite } from './storage.suite.ts'

const root = mkdtempSync(join(tmpdir(), 'vexil-storage-'))
afterAll(() => rmSync(root, { recursive: true }))

storageSuite(() => openLocalStorage(mkdtempSync(join(root, 'one-'))))
