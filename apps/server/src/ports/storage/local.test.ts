import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { storageSuite } from '../../../test/storage.suite.ts'
import { openLocalStorage } from './local.ts'

const root = mkdtempSync(join(tmpdir(), 'vexil-storage-'))
afterAll(() => rmSync(root, { recursive: true }))

storageSuite(() => openLocalStorage(mkdtempSync(join(root, 'one-'))))
