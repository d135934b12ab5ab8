import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { moveFolder } from './embedded-binaries.ts'

test('a copy that works is kept, since its server may run; a broken one is replaced; no other folder remains', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-binaries-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const to = join(folder, 'bin')
  const move = (name: string, works: boolean) => {
    const fresh = join(folder, name)
    mkdirSync(fresh)
    writeFileSync(join(fresh, 'postgres'), name)
    moveFolder(fresh, to, () => works)
    return [readFileSync(join(to, 'postgres'), 'utf8'), readdirSync(folder)]
  }
  expect(move('first', true)).toEqual(['first', ['bin']])
  expect(move('second', true)).toEqual(['first', ['bin']])
  expect(move('third', false)).toEqual(['third', ['bin']])
  expect(() => moveFolder(join(folder, 'missing'), to, () => true)).toThrow('ENOENT')
})
