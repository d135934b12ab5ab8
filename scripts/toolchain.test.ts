/** Tests the commands from outside: a copy of the scripts in a temporary folder, with a fake npm and small programs instead of the platform. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { patience } from './toolchain.mjs'

const folder = mkdtempSync(join(tmpdir(), 'vexil-toolchain-'))
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
mkdirSync(join(folder, 'scripts'))
for (const file of ['scripts/toolchain.mjs', 'scripts/last-build.mjs', 'apps/server/src/heartbeat.mjs'])
  cpSync(join(import.meta.dirname, '..', file), join(folder, file), { recursive: true })
const brought = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin`)
mkdirSync(brought, { recursive: true })
symlinkSync(process.execPath, join(brought, 'node'))
mkdirSync(join(folder, 'bin'))
writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\necho "$@" >> ${folder}/npm-calls\n`)
chmodSync(join(folder, 'bin/npm'), 0o755)

const code = (text: string) => [
  '--input-type=module',
  '-e',
  `import * as tools from ${JSON.stringify(join(folder, 'scripts/toolchain.mjs'))}; ${text}`,
]
const env = { PATH: `${folder}/bin:${dirname(process.execPath)}:/usr/bin:/bin` }

// ---- installing

const wanted = {
  '': { name: 'vexil' },
  'apps/server': { version: '1.0.0' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/b': { version: '2.0.0', integrity: 'sha512-b' },
  'node_modules/other-system': { version: '1.0.0', integrity: 'sha512-o', optional: true },
}
const { '': _root, 'node_modules/other-system': _other, ...here } = wanted
const stamp = join(folder, 'node_modules/.vexil-lock')

/** How often two starts call npm if `found` is already installed. */
function installs(found: object | null): number {
  for (const path of [stamp, join(folder, 'npm-calls'), join(folder, 'node_modules/.package-lock.json')])
    rmSync(path, { force: true })
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: wanted }))
  if (found) writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages: found }))
  for (let start = 0; start < 2; start++) expect(spawnSync(process.execPath, code('tools.installLock()'), { env }).status).toBe(0)
  expect(existsSync(stamp)).toBe(true)
  return existsSync(join(folder, 'npm-calls')) ? readFileSync(join(folder, 'npm-calls'), 'utf8').trim().split('\n').length : 0
}

test('without the locked Node an older one names what is missing: a package, or a newer Node where none is in the lock', () => {
  const name = `node-${process.platform}-${process.arch}`
  const say = (dependencies: object) => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ optionalDependencies: dependencies }))
    const { status, stderr } = spawnSync(process.execPath, code("tools.rightNode('20.20.2')"), { env, encoding: 'utf8' })
    return [status, stderr.trim()]
  }
  expect(say({ [name]: '24.0.0' })[0]).toBe(0)
  rmSync(join(brought, 'node'))
  expect(say({ [name]: '24.0.0' })).toEqual([
    2,
    `The packages are incomplete: node_modules has no ${name}. Run "npm ci --include=optional".`,
  ])
  expect(say({})).toEqual([2, `Vexil needs Node 24 or later on ${process.platform}-${process.arch}, not 20.20.2.`])
  symlinkSync(process.execPath, join(brought, 'node'))
})

test('packages installed by npm ci are not installed a second time', () => {
  expect(installs(here)).toBe(0)
})

test.each([
  ['nothing', null],
  ['less', { 'node_modules/a': here['node_modules/a'] }],
  ['more', { ...here, 'node_modules/c': { version: '1.0.0' } }],
  ['another version', { ...here, 'node_modules/b': { version: '2.0.1', integrity: 'sha512-b' } }],
  ['other bytes', { ...here, 'node_modules/b': { version: '2.0.0', integrity: 'sha512-x' } }],
])('where there is %s than in the lock, packages are installed once', (_name, found) => {
  expect(installs(found)).toBe(1)
})

// ---- running

/** A clock, in milliseconds, for which each start of the program takes one second. */
const clock = (starts: string) =>
  `const { existsSync, readFileSync } = process.getBuiltinModule('fs')
   performance.now = () => existsSync('${starts}') ? readFileSync('${starts}', 'utf8').trim().split('\\n').length * 1000 : 0;`

/**
 * Runs a program whose starts end as `ends` lists: with an exit code, by hanging, killed, or not at all.
 * It answers SIGINT with the exit code 3 and SIGTERM with 4, and ends with its parent. `before`: code with the file of its starts.
 */
async function run(ends: readonly (number | string)[], again: object | null, before = (_starts: string) => '') {
  const count = join(folder, `count-${Math.random()}`)
  const program = join(folder, `program-${Math.random()}.mjs`)
  writeFileSync(
    program,
    `import { appendFileSync, readFileSync } from 'node:fs'
     const parent = process.ppid
     process.on('disconnect', () => process.exit())
     process.on('SIGINT', () => process.exit(3))
     process.on('SIGTERM', () => process.exit(4))
     appendFileSync(${JSON.stringify(count)}, Date.now() + '\\n')
     const end = ${JSON.stringify(ends)}[readFileSync(${JSON.stringify(count)}, 'utf8').trim().split('\\n').length - 1]
     if (typeof end === 'number') process.exit(end)
     if (end === 'hangs') { process.send({ beat: true }); while (process.ppid === parent); }
     if (end === 'killed') process.kill(process.pid, 'SIGKILL')
     setInterval(() => {}, 1000)`,
  )
  const text = `${before(count)} tools.runInPlace([${JSON.stringify(program)}], ${JSON.stringify({ again })})`
  const child = spawn(process.execPath, code(text), {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  children.add(child)
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk))
  const starts = () => (existsSync(count) ? readFileSync(count, 'utf8').trim().split('\n').map(Number) : [])
  return { child, ended: once(child, 'exit').then(([status]) => status as number), starts, output: () => output }
}
const quick = { first: 200, most: 500, ranWell: 60_000 }

test('a program that ends with an error is restarted, with growing pauses up to a limit', async () => {
  const { child, ended, starts, output } = await run([70, 1, 'killed', 70, 'stays'], quick)
  await vi.waitFor(() => expect(starts()).toHaveLength(5), 10_000)
  const pauses = starts().map((at, i, all) => at - (all[i - 1] ?? at))
  for (const [i, least] of [0, 200, 400, 500, 500].entries()) expect(pauses[i], `pause ${i}`).toBeGreaterThanOrEqual(least)
  expect(output().match(/in [\d.]+ s/g)).toEqual(['in 0.2 s', 'in 0.4 s', 'in 0.5 s', 'in 0.5 s'])
  expect(output()).toContain('SIGKILL')
  child.kill('SIGTERM')
  expect(await ended).toBe(4)
  expect(starts()).toHaveLength(5)
})

test.each([
  [999, ['in 0.2 s', 'in 0.2 s']],
  [1000, ['in 0.2 s', 'in 0.4 s']],
])('a run of a second with a limit of %i ms: the pauses restart only if it was longer', async (ranWell, pauses) => {
  const { child, ended, starts, output } = await run([70, 70, 'stays'], { ...quick, ranWell }, clock)
  await vi.waitFor(() => expect(starts()).toHaveLength(3), 10_000)
  expect(output().match(/in [\d.]+ s/g)).toEqual(pauses)
  child.kill('SIGTERM')
  expect(await ended).toBe(4)
})

test.each([0, 2])('a program that ends with %i is not restarted', async (status) => {
  const { ended, starts } = await run([status, 'stays'], quick)
  expect(await ended).toBe(status)
  expect(starts()).toHaveLength(1)
})

test('a program that does not respond is killed and restarted', async () => {
  const beats = { every: 100, deadAfter: 500, firstWithin: 30_000, lateBy: 30_000 }
  const { child, ended, starts, output } = await run(['hangs', 'stays'], { ...quick, beats })
  await vi.waitFor(() => expect(starts()).toHaveLength(2), 20_000)
  expect(output()).toContain('The process does not respond. Killing it.\nThe process exited with an error (SIGKILL)')
  child.kill('SIGTERM')
  expect(await ended).toBe(4)
})

test('a program whose database is not up yet is restarted without growing pauses, until its time is over', async () => {
  const { child, ended, starts, output } = await run([75, 75, 75, 'stays'], { ...quick, untilUp: 60_000 })
  await vi.waitFor(() => expect(starts()).toHaveLength(4), 20_000)
  expect(output().match(/in [\d.]+ s/g)).toEqual(['in 0.2 s', 'in 0.2 s', 'in 0.2 s'])
  child.kill('SIGTERM')
  expect(await ended).toBe(4)
  // The time begins at the first of these starts, and again after an error of another kind.
  const never = await run([75, 75, 70, 75, 75, 75, 'stays'], { ...quick, untilUp: 3_000 }, clock)
  expect(await never.ended).toBe(2)
  expect(never.starts()).toHaveLength(6)
})

test('a program is not restarted where restarts are off', async () => {
  const { ended, starts } = await run([70, 'stays'], null)
  expect(await ended).toBe(70)
  expect(starts()).toHaveLength(1)
  // A killed program has no exit code.
  expect(await (await run(['killed', 'stays'], null)).ended).toBe(1)
})

test('a heartbeat is not expected from a program that has ended', async () => {
  // The program ends within the limit, and the pause after it is longer than the limit.
  const beats = { every: 50, deadAfter: 100, firstWithin: 1_500, lateBy: 30_000 }
  const { child, ended, output } = await run([70, 'stays'], { ...quick, first: 2_000, most: 4_000, beats })
  await vi.waitFor(() => expect(output()).toContain('Restarting in 4 s'), 20_000)
  expect(output()).toMatch(/^The process exited with an error \(code 70\)\. Restarting in 2 s\.\n/)
  expect(output().split('does not respond')).toHaveLength(2)
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

test('in a terminal Ctrl-C reaches the program without `npm start`; other signals are forwarded there, too', async () => {
  const { child, ended, starts } = await run(['stays'], quick, () => 'process.stdin.isTTY = true;')
  await vi.waitFor(() => expect(starts()).toHaveLength(1), 10_000)
  child.kill('SIGINT')
  child.kill('SIGTERM')
  expect(await ended).toBe(4)
  const elsewhere = await run(['stays'], quick)
  await vi.waitFor(() => expect(elsewhere.starts()).toHaveLength(1), 10_000)
  elsewhere.child.kill('SIGINT')
  expect(await elsewhere.ended).toBe(3)
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s during a pause ends it at once', async (signal) => {
  const { child, ended, starts, output } = await run([70, 'stays'], { ...quick, first: 60_000 })
  await vi.waitFor(() => expect(output()).toContain('in 60 s'), 10_000)
  child.kill(signal)
  expect(await ended).toBe(0)
  expect(starts()).toHaveLength(1)
})

test('a terminal that closes ends the program like SIGTERM', async () => {
  const { child, ended, starts } = await run(['stays'], quick)
  await vi.waitFor(() => expect(starts()).toHaveLength(1), 10_000)
  child.kill('SIGHUP')
  expect(await ended).toBe(4)
  expect(starts()).toHaveLength(1)
})

test('`npm start` has the pauses given in the documents', () => {
  expect(patience).toEqual({ first: 1_000, most: 60_000, ranWell: 5 * 60_000, untilUp: 60_000 })
  const text = readFileSync(join(import.meta.dirname, '../docs/operations.md'), 'utf8').replaceAll('\n', ' ')
  expect(text).toContain('`npm start` tries again each second for a minute.')
  expect(text).toContain('after 1 s, 2 s, 4 s and so on up to a minute, from 1 s again once it ran for five minutes')
})
