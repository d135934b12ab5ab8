/** What every command needs first: the locked packages, the right version of Node, the built web. Runs on Node 20 and installs nothing twice. */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { watchBeats } from '../apps/server/src/heartbeat.mjs'
import { keepLastBuild } from './last-build.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const NEEDED_MAJOR = 24
const stamp = join(root, 'node_modules/.vexil-lock')

/** Prints a message and ends the process. */
export function fail(message, code = 2) {
  console.error(message)
  process.exit(code)
}

/** Installs exactly the lock file, unless this or `npm ci` has done it already. The stamp is written last: an interrupted install is repeated. */
export function installLock() {
  const text = readFileSync(join(root, 'package-lock.json'))
  const lock = createHash('sha256').update(text).digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  if (isInstalled(JSON.parse(text.toString()))) {
    writeFileSync(stamp, lock)
    return
  }
  console.log('Installing the packages of package-lock.json (once).')
  rmSync(stamp, { force: true })
  const done = spawnSync('npm', ['ci', '--no-progress', '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    env: plainEnvironment(),
  })
  if (done.error) fail('npm is missing: install Node 20 or later with npm.')
  if (done.status !== 0) {
    console.error((done.stderr || done.stdout).trim())
    fail('Could not install the packages: see above.')
  }
  writeFileSync(stamp, lock)
}

/** npm writes the list of installed packages last. It must have the whole lock file; optional packages for other systems may be missing. */
function isInstalled({ packages: wanted }) {
  const written = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(written)) return false
  const { packages: found } = JSON.parse(readFileSync(written, 'utf8'))
  const same = (path) => found[path]?.version === wanted[path]?.version && found[path]?.integrity === wanted[path]?.integrity
  const paths = Object.keys(wanted).filter((path) => path !== '')
  return (
    Object.keys(found).every((path) => wanted[path]) &&
    paths.every((path) => (path in found ? same(path) : wanted[path].optional))
  )
}

/** npm settings of the calling command must not change what is installed. */
function plainEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(config_(omit|include|workspace|prefix|global)|lifecycle|package)/i.test(name),
  )
  return { ...Object.fromEntries(kept), NODE_ENV: '' }
}

/** Path of the Node from the lock file; if it has none for this platform, that of the current process if it is new enough. */
export function rightNode(own = process.versions.node) {
  const name = `node-${process.platform}-${process.arch}`
  const brought = join(root, `node_modules/${name}/bin/node`)
  if (existsSync(brought)) return brought
  if (Number(own.split('.')[0]) >= NEEDED_MAJOR) return process.execPath
  const { optionalDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  if (name in optionalDependencies)
    return fail(`The packages are incomplete: node_modules has no ${name}. Run "npm ci --include=optional".`)
  return fail(`Vexil needs Node ${NEEDED_MAJOR} or later on ${process.platform}-${process.arch}, not ${own}.`)
}

/** The environment of tools, in whose PATH `node` is that of `rightNode`. */
export function toolEnvironment(extra = {}) {
  return { ...process.env, PATH: `${dirname(rightNode())}:${process.env.PATH ?? ''}`, ...extra }
}

/** Builds the web if it is missing or older than its sources. */
export function buildWeb({ force = false } = {}) {
  const web = join(root, 'apps/web')
  // Without its configuration the web cannot be built; the server then only answers calls.
  if (!existsSync(join(web, 'vite.config.ts'))) return true
  const built = timeOf(join(web, 'dist/index.html'))
  const sources = [web, join(root, 'packages'), join(root, 'package-lock.json')]
  if (!force && built > 0 && sources.every((path) => newest(path) <= built)) return true
  console.log('Building the web.')
  return keepLastBuild(join(web, 'dist'), () => {
    const vite = spawnSync(rightNode(), [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'error'], {
      cwd: web,
      encoding: 'utf8',
      env: toolEnvironment({ NODE_ENV: 'production' }),
    })
    if (vite.status !== 0) console.error(`${vite.stdout}${vite.stderr}`.trim())
    return vite.status === 0
  })
}

/** Compiles the isolation probe (deploy/probe), which Docker runs, unless it is up to date. Returns whether it is: false without gcc. */
export function buildProbe() {
  const [source, program] = ['probe.c', 'probe'].map((name) => join(root, 'deploy/probe', name))
  if (process.platform !== 'linux' || !existsSync(source)) return false
  if (timeOf(program) >= timeOf(source)) return true
  // Two simultaneous starts each write a separate file, and a process that reads the old program keeps it.
  const part = `${program}.${process.pid}`
  const gcc = spawnSync('gcc', ['-Os', '-static', '-s', '-Wall', '-Wextra', '-Werror', '-o', part, source], { encoding: 'utf8' })
  if (gcc.status === 0) renameSync(part, program)
  else if (gcc.stderr) console.error(`The isolation probe was not built: ${gcc.stderr.trim()}`)
  return gcc.status === 0
}

function timeOf(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0
}

function newest(path) {
  const entry = statSync(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  const inside = readdirSync(path).filter((name) => !['dist', 'node_modules', 'test'].includes(name))
  return inside.reduce((latest, name) => Math.max(latest, newest(join(path, name))), 0)
}

/** Exit code of a program that cannot start: a restart would not help. */
const CANNOT_START = 2
/** Exit code of a program whose database is not up yet. */
const NOT_YET = 75

/**
 * Milliseconds. A program that failed is restarted after `first`, doubled each time up to `most`; a run of more than `ranWell` resets it. A program
 * whose database is not up yet is restarted after `first`, for `untilUp` in total.
 */
export const patience = { first: 1_000, most: 60_000, ranWell: 5 * 60_000, untilUp: 60_000 }

/**
 * Options of Node for the platform. Its objects are short-lived: compared with a young generation of 3 x 16 MB, one of 3 x 4 MB costs no measurable
 * CPU time and needs 40 MB less. With a limit below 2 GB, Node lets garbage grow to less than twice the live objects instead of four times: 380 MB
 * instead of 520 MB with 10,000 teams, for about 15 microseconds per submission.
 */
export const serverFlags = ['--max-semi-space-size=4', '--max-old-space-size=1536']

/** The system's allocator keeps freed memory in arenas, eight per core by default; two are enough for what is allocated there. */
export const serverEnv = { MALLOC_ARENA_MAX: '2' }

/**
 * Runs a program in place of this process: it inherits the standard streams, gets the signals, and determines the exit code. Its IPC channel closes
 * if this process is killed. With `again` it is restarted after a failure, with growing pauses, until this process is ended; a program that stops
 * sending heartbeats is killed first.
 */
export function runInPlace(args, { env = process.env, again = null } = {}) {
  let child
  let pause = again?.first
  let waiting
  let ending = false
  /** Start of the first run that ended because the database is not up; null while it is up. */
  let away = null

  function startAgainIn(milliseconds, reason) {
    console.error(`${reason}. Restarting in ${milliseconds / 1000} s.`)
    waiting = setTimeout(run, milliseconds)
  }

  function run() {
    const startedAt = performance.now()
    waiting = null
    child = spawn(rightNode(), args, { cwd: root, env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    child.channel?.unref()
    const life = again && watch(child)
    child.on('exit', (code, signal) => {
      life?.stop()
      if (!again || ending || code === 0 || code === CANNOT_START) return process.exit(code ?? 1)
      if (code === NOT_YET) {
        away ??= startedAt
        if (performance.now() - away >= again.untilUp) return process.exit(CANNOT_START)
        return startAgainIn(again.first, 'Waiting for the database')
      }
      away = null
      if (performance.now() - startedAt > again.ranWell) pause = again.first
      startAgainIn(pause, `The process exited with an error (${signal ?? `code ${code}`})`)
      pause = Math.min(again.most, pause * 2)
    })
  }

  function watch(watched) {
    const life = watchBeats(() => {
      console.error('The process does not respond. Killing it.')
      watched.kill('SIGKILL')
    }, again.beats)
    watched.on('message', life.received)
    return life
  }

  function end(signal) {
    ending = true
    // Between two starts there is no process to wait for.
    if (waiting) process.exit(0)
    // Ctrl-C in a terminal also reaches the child; forwarding it would count as a second one.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(signal))
  run()
}
