/** The commands of a clone from outside: the scripts in a temporary one, with a fake npm, Vite, gcc and platform that record how they are called. */
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serverFlags } from './toolchain.mjs'

let clone: string
const at = (path: string) => join(clone, path)

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text, { mode })
}

/** A program that records its name, its arguments and some variables, then executes `code`. */
const recorder = (name: string, code = '') => `
  const { appendFileSync, existsSync, mkdirSync, writeFileSync } = process.getBuiltinModule('fs')
  const { NODE_ENV, MALLOC_ARENA_MAX, npm_config_omit, KEPT } = process.env
  const from = { args: process.argv.slice(2), flags: process.execArgv, cwd: process.cwd(), env: { NODE_ENV, MALLOC_ARENA_MAX, npm_config_omit, KEPT } }
  appendFileSync(${JSON.stringify(at('calls'))}, JSON.stringify({ name: ${JSON.stringify(name)}, ...from }) + '\\n')
  ${code}`
const command = (name: string, code: string) => `#!${process.execPath}\n${recorder(name, code)}`
const gcc = "writeFileSync(process.argv[process.argv.indexOf('-o') + 1], 'compiled')"
const vite = `
  mkdirSync('dist/static', { recursive: true })
  writeFileSync('dist/static/a.js', '')
  writeFileSync('dist/index.html', 'built')`

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'vexil-start-'))
  const scripts = ['toolchain', 'last-build', 'start', 'serve', 'build', 'dev'].map((name) => `scripts/${name}.mjs`)
  for (const file of [...scripts, 'vexil', 'apps/server/src/heartbeat.mjs'])
    cpSync(join(import.meta.dirname, '..', file), at(file))
  write('package.json', '{}')
  write('package-lock.json', '{ "packages": { "": {} } }')
  write('bin/npm', command('npm', ''), 0o755)
  write('bin/gcc', command('gcc', gcc), 0o755)
  write('node_modules/vite/bin/vite.js', recorder('vite', vite))
  const node = `node_modules/node-${process.platform}-${process.arch}/bin/node`
  mkdirSync(dirname(at(node)), { recursive: true })
  symlinkSync(process.execPath, at(node))
  write('apps/server/src/main.ts', recorder('platform'))
  write('apps/server/src/demo/main.ts', recorder('demo', 'process.exit(70)'))
  write('apps/server/src/cli/main.ts', recorder('command line', 'process.exit(70)'))
  for (const source of ['apps/web/vite.config.ts', 'apps/web/src/page.tsx', 'packages/core/src/rule.ts', 'deploy/probe/probe.c'])
    write(source, '')
  for (const path of ['apps/web/test/page.tsx', 'packages/core/node_modules/a.js']) write(path, '')
  age(
    'package-lock.json',
    'apps/web/vite.config.ts',
    'apps/web/src/page.tsx',
    'packages/core/src/rule.ts',
    'deploy/probe/probe.c',
  )
})
afterEach(() => rmSync(clone, { recursive: true, force: true }))

/** Sets the time of the last change, in seconds since 1970. */
function age(...paths: string[]): void {
  for (const path of paths) utimesSync(at(path), 1_000_000, 1_000_000)
}

interface Call {
  readonly name: string
  readonly args: string[]
  readonly flags: string[]
  readonly cwd: string
  readonly env: Record<string, string>
}

/** Runs a command, `npm start` by default, once. Returns the programs that it called, in their order. */
function start(args: string[] = [], variables: Record<string, string> = {}, script = 'scripts/start.mjs') {
  writeFileSync(at('calls'), '')
  const env = { PATH: `${at('bin')}:${dirname(process.execPath)}:/usr/bin:/bin`, ...variables }
  const { status, stderr, stdout } = spawnSync(process.execPath, [at(script), ...args], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  const lines = readFileSync(at('calls'), 'utf8').split('\n').filter(Boolean)
  const calls = lines.map((line): Call => JSON.parse(line))
  return { status, stderr, stdout, calls, names: calls.map(({ name }) => name) }
}

test('in a fresh clone it installs the packages, builds the web and the isolation probe and runs the platform; after that it only runs it', () => {
  const fresh = start([], { npm_config_omit: 'dev', NODE_ENV: 'production', KEPT: 'yes' })
  expect(fresh).toMatchObject({ status: 0, names: ['npm', 'vite', 'gcc', 'platform'] })
  expect(fresh.stdout).toBe('Installing the packages of package-lock.json (once).\nBuilding the web.\n')
  const [npm, web, probe, platform] = fresh.calls
  // Settings of the calling npm must not leave packages out.
  expect(npm).toMatchObject({ args: ['ci', '--no-progress', '--loglevel=error'], cwd: clone, env: { NODE_ENV: '', KEPT: 'yes' } })
  expect(npm?.env.npm_config_omit).toBeUndefined()
  expect(web).toMatchObject({ args: ['build', '--logLevel', 'error'], cwd: at('apps/web'), env: { NODE_ENV: 'production' } })
  expect(probe?.args).toContain('-static')
  expect(readFileSync(at('deploy/probe/probe'), 'utf8')).toBe('compiled')
  expect(platform).toMatchObject({ args: [], flags: serverFlags, cwd: clone, env: { MALLOC_ARENA_MAX: '2', KEPT: 'yes' } })

  const next = start([], { MALLOC_ARENA_MAX: '4' })
  expect(next).toMatchObject({ status: 0, names: ['platform'], stdout: '', calls: [{ env: { MALLOC_ARENA_MAX: '4' } }] })
})

test('a platform that fails is restarted after a second, a demo is not; other options are passed to the demo', () => {
  const failsOnce = `
    if (existsSync(${JSON.stringify(at('failed'))})) process.exit(0)
    writeFileSync(${JSON.stringify(at('failed'))}, '')
    process.exit(70)`
  write('apps/server/src/main.ts', recorder('platform', failsOnce))
  const platform = start()
  expect(platform).toMatchObject({ status: 0, names: ['npm', 'vite', 'gcc', 'platform', 'platform'] })
  expect(platform.stderr).toBe('The process exited with an error (code 70). Restarting in 1 s.\n')
  const demo = start(['--port', '8081', '--demo', '--players'])
  expect(demo).toMatchObject({ status: 70, names: ['demo'], stderr: '' })
  expect(demo.calls[0]).toMatchObject({
    args: ['--port', '8081', '--players'],
    flags: serverFlags,
    env: { MALLOC_ARENA_MAX: '2' },
  })
})

test('the web is built again if one of its sources, a package or the lock file is newer than the build, or the build is missing', () => {
  start()
  age('apps/web/dist/index.html')
  // As old as its sources.
  expect(start().names).toEqual(['platform'])
  for (const source of ['apps/web/src/page.tsx', 'packages/core/src/rule.ts', 'package-lock.json']) {
    utimesSync(at(source), 1_000_001, 1_000_001)
    expect(start().names, source).toEqual(['vite', 'platform'])
    age(source, 'apps/web/dist/index.html')
  }
  // The tests of the web, its build and installed packages, which are newer, are no sources.
  expect(start().names).toEqual(['platform'])
  rmSync(at('apps/web/dist'), { recursive: true })
  expect(start().names).toEqual(['vite', 'platform'])
})

test('a build that fails prints its errors, leaves the build before it, and nothing is started; without its sources the web is not built', () => {
  start()
  write(
    'node_modules/vite/bin/vite.js',
    recorder('vite', "console.log('half'); console.error('a wrong import'); process.exit(1)"),
  )
  utimesSync(at('apps/web/src/page.tsx'), new Date(), new Date(Date.now() + 60_000))
  const failed = start()
  expect(failed).toMatchObject({ status: 1, names: ['vite'] })
  expect(failed.stderr).toBe('half\na wrong import\nCould not build the web app: see above.\n')
  expect(readFileSync(at('apps/web/dist/index.html'), 'utf8')).toBe('built')
  rmSync(at('apps/web/vite.config.ts'))
  expect(start()).toMatchObject({ status: 0, names: ['platform'] })
})

test('the isolation probe is compiled again if its source is newer; a failure is printed, the old program stays and the platform runs', () => {
  start()
  age('deploy/probe/probe')
  expect(start().names).toEqual(['platform'])
  utimesSync(at('deploy/probe/probe.c'), 1_000_001, 1_000_001)
  write('bin/gcc', command('gcc', "console.error('no static libc'); process.exit(1)"), 0o755)
  expect(start()).toMatchObject({
    status: 0,
    names: ['gcc', 'platform'],
    stderr: 'The isolation probe was not built: no static libc\n',
  })
  expect(readFileSync(at('deploy/probe/probe'), 'utf8')).toBe('compiled')
  rmSync(at('deploy'), { recursive: true })
  expect(start()).toMatchObject({ status: 0, names: ['platform'], stderr: '' })
})

test('an install that fails prints the errors of npm and is repeated, also where these packages were installed before', () => {
  const stamp = at('node_modules/.vexil-lock')
  start()
  const first = readFileSync(stamp, 'utf8')
  appendFileSync(at('package-lock.json'), '\n')
  const works = readFileSync(at('bin/npm'), 'utf8')
  write('bin/npm', command('npm', "console.error('no such package'); process.exit(1)"))
  const failed = start()
  expect(failed).toMatchObject({ status: 2, names: ['npm'] })
  expect(failed.stderr).toBe('no such package\nCould not install the packages: see above.\n')
  expect(existsSync(stamp)).toBe(false)
  write('bin/npm', works)
  expect(start().names).toContain('npm')
  expect(readFileSync(stamp, 'utf8')).not.toBe(first)
  rmSync(stamp)
  rmSync(at('bin/npm'))
  expect(start([], { PATH: at('bin') })).toMatchObject({
    status: 2,
    names: [],
    stderr: 'npm is missing: install Node 20 or later with npm.\n',
  })
})

test('`./vexil serve` is `npm start`; its other commands run once, without a build', () => {
  const cli = start(['doctor', '--json'], {}, 'vexil')
  expect(cli).toMatchObject({ status: 70, names: ['npm', 'command line'], stderr: '' })
  expect(cli.calls[1]).toMatchObject({ args: ['doctor', '--json'], cwd: clone })
  expect(start(['serve', '--help'], {}, 'vexil').calls).toMatchObject([{ name: 'command line', args: ['serve', '--help'] }])
  const served = start(['serve'], {}, 'vexil')
  expect(served).toMatchObject({ status: 0, names: ['vite', 'gcc', 'platform'] })
  expect(served.calls[2]).toMatchObject({ args: [], flags: serverFlags })
  expect(start(['serve', '--demo'], {}, 'vexil').calls).toMatchObject([{ name: 'demo', args: [] }])
})

test('`npm run build` builds the web even where it is up to date, and starts nothing', () => {
  start()
  expect(start([], {}, 'scripts/build.mjs')).toMatchObject({ status: 0, names: ['vite'], stdout: 'Building the web.\n' })
  write('node_modules/vite/bin/vite.js', recorder('vite', 'process.exit(1)'))
  expect(start([], {}, 'scripts/build.mjs')).toMatchObject({ status: 1, names: ['vite'] })
})

test('`npm run dev` runs server and web until one of them ends', () => {
  write(
    'node_modules/vite/bin/vite.js',
    recorder('vite', `setInterval(() => existsSync(${JSON.stringify(at('up'))}) && process.exit(), 20)`),
  )
  write(
    'apps/server/src/main.ts',
    recorder('platform', `writeFileSync(${JSON.stringify(at('up'))}, ''); setInterval(() => {}, 1000)`),
  )
  const { status, calls } = start([], {}, 'scripts/dev.mjs')
  expect(status).toBe(0)
  expect(calls.slice(1).sort((a, b) => a.name.localeCompare(b.name))).toMatchObject([
    { name: 'platform', args: [], cwd: clone },
    { name: 'vite', args: [], cwd: at('apps/web') },
  ])
})
