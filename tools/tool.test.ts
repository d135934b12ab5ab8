import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const tool = join(import.meta.dirname, 'tool.mjs')
const run = (...args: string[]) => spawnSync(process.execPath, [tool, ...args], { encoding: 'utf8' })
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name)

test('without a name all tools are listed, each with a description', () => {
  const { status, stdout } = run()
  expect(status).toBe(0)
  expect(namesIn(stdout, /^([a-z-]+) +\S.{5,}$/gm)).toContain('demands')
  expect(stdout.trim().split('\n')).toHaveLength(namesIn(stdout, /^([a-z-]+) +\S.{5,}$/gm).length)
})

test('an unknown name ends with exit code 2 and the list', () => {
  const { status, stdout, stderr } = run('nothing', '--help')
  expect(status).toBe(2)
  expect(stderr).toBe('Unknown tool: nothing\n')
  expect(stdout).toBe(run().stdout)
})

test('arguments are passed to the tool, and its exit code is returned', () => {
  const { status, stderr } = run('deletions', 'no-room')
  expect(status).toBe(1)
  expect(stderr).toContain('There is no room no-room')
  expect(run('licences').status).toBe(0)
})

test('every tool has its file and a row in tools/README.md', () => {
  const files = namesIn(readFileSync(tool, 'utf8'), /'((?:tools|scripts)\/[\w/-]+\.(?:ts|mjs))'/g)
  expect(files.filter((file) => !existsSync(join(root, file as string)))).toEqual([])
  const rows = namesIn(readFileSync(join(import.meta.dirname, 'README.md'), 'utf8'), /^\| `([a-z-]+)/gm)
  expect(rows).toEqual(namesIn(run().stdout, /^([a-z-]+)/gm))
})

test('package.json has the commands of the product and its gate, and one for all tools', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = 'start dev demo test check proof format build docs db:types bench seed firewall tool'
  expect(Object.keys(scripts)).toEqual(names.split(' '))
})
