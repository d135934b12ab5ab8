import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepLastBuild } from './last-build.mjs'

let root: string
let dist: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'vexil-build-'))
  dist = join(root, 'dist')
})
afterEach(() => rmSync(root, { recursive: true }))

/** Writes files with their names as content, so a file of the same name has the same content in each build. */
function write(...names: string[]): boolean {
  mkdirSync(join(dist, 'static'), { recursive: true })
  for (const name of names) writeFileSync(join(dist, 'static', name), name)
  writeFileSync(join(dist, 'index.html'), names.join(' '))
  return true
}
const build = (...names: string[]) => keepLastBuild(dist, () => write(...names))
const served = () => readdirSync(join(dist, 'static')).sort()

test('a build keeps the files of the one before it, and not of earlier ones', () => {
  expect(build('a-1.js', 'b-1.js')).toBe(true)
  expect(served()).toEqual(['a-1.js', 'b-1.js'])
  build('a-2.js', 'b-1.js')
  expect(served()).toEqual(['a-1.js', 'a-2.js', 'b-1.js'])
  expect(readFileSync(join(dist, 'static/a-1.js'), 'utf8')).toBe('a-1.js')
  build('a-3.js', 'b-1.js')
  expect(served()).toEqual(['a-2.js', 'a-3.js', 'b-1.js'])
  expect(readFileSync(join(dist, 'index.html'), 'utf8')).toBe('a-3.js b-1.js')
  expect(readdirSync(root)).toEqual(['dist'])
})

test('the same build again keeps what it had kept', () => {
  build('a-1.js')
  build('a-2.js')
  for (let round = 0; round < 2; round++) build('a-2.js')
  expect(served()).toEqual(['a-1.js', 'a-2.js'])
})

test('a build that fails leaves the last one, also after an interruption', () => {
  build('a-1.js')
  expect(keepLastBuild(dist, () => !write('half.js'))).toBe(false)
  expect([served(), readFileSync(join(dist, 'index.html'), 'utf8'), readdirSync(root)]).toEqual([['a-1.js'], 'a-1.js', ['dist']])
  const interrupted = () => {
    throw new Error('killed')
  }
  expect(() => keepLastBuild(dist, interrupted)).toThrow('killed')
  expect(existsSync(dist)).toBe(false)
  build('a-2.js')
  expect(served()).toEqual(['a-1.js', 'a-2.js'])
})
