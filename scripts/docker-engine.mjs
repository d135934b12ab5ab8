/**
 * A throwaway Docker engine for the tests, from Debian's docker.io. After it stops, its data is deleted and the packet filter is restored.
 * `npm run tool -- docker-engine` starts one until Ctrl-C.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const DOCKERD = '/usr/sbin/dockerd'
const packages = {
  'docker.io': DOCKERD,
  iptables: '/usr/sbin/iptables',
  iproute2: '/usr/sbin/ip',
  'busybox-static': '/bin/busybox',
  'docker-registry': '/usr/bin/docker-registry',
}
/** The folders of these programs may be missing in a user's PATH. */
const env = { ...process.env, PATH: `/usr/sbin:/sbin:${process.env.PATH}` }
const POLICY = '/usr/sbin/policy-rc.d'
/** File systems for its data: the program that creates one, its package, and the option of the engine. */
const disks = {
  btrfs: { mkfs: '/usr/sbin/mkfs.btrfs', needs: 'btrfs-progs', driver: ['--storage-driver', 'btrfs'] },
  ext4: { mkfs: '/usr/sbin/mkfs.ext4', needs: 'e2fsprogs', driver: [] },
}
const seconds = { start: 60, stop: 20 }

/**
 * Starts an engine, or uses that of VEXIL_TEST_DOCKER (`unix:///path`). With `disk` its data is on a file system of 4 GB of that type; on
 * `btrfs` the driver enforces storage limits, on `ext4` it does not. Returns its address and a function that stops it, or null after
 * passing the reason to `skip`.
 */
export function startDocker(skip, { disk } = {}) {
  const { mkfs, needs, driver } = disks[disk] ?? { driver: [] }
  const given = process.env.VEXIL_TEST_DOCKER
  if (given) return { host: given, stop: () => undefined }
  const missing = (reason) => {
    skip('tests on Docker', reason)
    return null
  }
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return missing('only root can start an engine')
  if (isRunning())
    return missing('an engine runs here, which another would disturb; VEXIL_TEST_DOCKER=unix:///… names one to use')
  if (!install(mkfs ? { ...packages, [needs]: mkfs } : packages)) return missing('docker.io could not be installed by apt')
  // Short, because the path of a socket has at most 107 bytes.
  const folder = mkdtempSync('/tmp/vexil-docker-')
  const filter = savedFilter()
  const bridge = existsSync('/sys/class/net/docker0')
  const host = `unix://${folder}/docker.sock`
  const log = openSync(join(folder, 'log'), 'a')
  if (mkfs) mountDisk(folder, mkfs)
  const place = [
    ...driver,
    '--data-root',
    join(folder, 'data'),
    '--exec-root',
    join(folder, 'exec'),
    '-p',
    join(folder, 'pid'),
    // Tests change these settings.
    '--config-file',
    join(folder, 'daemon.json'),
    '-H',
    host,
  ]
  writeFileSync(join(folder, 'daemon.json'), '{}')
  const { pid: first } = spawn(DOCKERD, place, { cwd: '/', stdio: ['ignore', log, log], env })
  const stop = () => {
    // A test may have restarted it.
    const pid = Number(read(join(folder, 'pid'))) || first
    if (isAlive(pid)) process.kill(pid, 'SIGTERM')
    if (!waitFor(() => !isAlive(pid), seconds.stop)) process.kill(pid, 'SIGKILL')
    spawnSync('iptables-restore', { input: filter, env })
    if (!bridge) spawnSync('ip', ['link', 'delete', 'docker0'], { env })
    unmountBelow(folder)
    rmSync(folder, { recursive: true, force: true })
  }
  if (waitFor(() => !isAlive(first) || answers(folder), seconds.start) && isAlive(first)) return { host, stop }
  const [line = 'it says nothing'] = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n').slice(-1)
  stop()
  return missing(`the engine does not start: ${line}`)
}

/** Two engines on one host overwrite each other's rules of the packet filter. */
function isRunning() {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return processes.some((pid) => read(`/proc/${pid}/comm`) === 'dockerd\n' && isAlive(pid))
}

/** A process that has ended stays a zombie until its parent reaps it. */
function isAlive(pid) {
  return /^State:\s+[^ZX]/m.test(read(`/proc/${pid}/status`))
}

function answers(folder) {
  const socket = join(folder, 'docker.sock')
  const ping = `require('http').get({ socketPath: '${socket}', path: '/_ping' }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1))`
  return existsSync(socket) && spawnSync(process.execPath, ['-e', ping], { stdio: 'ignore', timeout: 5000 }).status === 0
}

/** Input for `iptables-restore` that restores the current packet filter: `iptables-save` omits empty tables, so they are added. */
function savedFilter() {
  const saved = spawnSync('iptables-save', { encoding: 'utf8', env }).stdout ?? ''
  const empty = {
    mangle: ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'],
    filter: ['INPUT', 'FORWARD', 'OUTPUT'],
    nat: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'],
  }
  const missing = Object.entries(empty).filter(([table]) => !saved.includes(`*${table}\n`))
  const tables = missing.map(([table, chains]) =>
    [`*${table}`, ...chains.map((chain) => `:${chain} ACCEPT`), 'COMMIT', ''].join('\n'),
  )
  return saved + tables.join('')
}

function mountDisk(folder, mkfs) {
  const [disk, data] = [join(folder, 'disk'), join(folder, 'data')]
  mkdirSync(data)
  for (const [program, ...args] of [
    ['truncate', '-s', '4G', disk],
    [mkfs, '-q', disk],
    ['mount', '-o', 'loop', disk, data],
  ])
    if (spawnSync(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
      throw new Error(`${program} failed`)
}

/** The remaining containers of an aborted run keep file systems mounted. */
function unmountBelow(folder) {
  const places = read('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
  for (const place of places.filter((path) => path.startsWith(folder)).reverse()) spawnSync('umount', ['-l', place], { env })
}

function waitFor(condition, limit) {
  for (let i = 0; i < limit * 10; i++) {
    if (condition()) return true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  }
  return false
}

function install(needed) {
  const wanted = Object.keys(needed).filter((name) => !existsSync(needed[name]))
  if (wanted.length === 0) return true
  if (!existsSync('/usr/bin/apt-get')) return false
  console.log(`Installing ${wanted.join(', ')} by apt (once).`)
  const apt = (...args) =>
    spawnSync('apt-get', ['-qq', '-y', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  apt('update')
  // Otherwise the packages would start their services.
  const policy = !existsSync(POLICY)
  if (policy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  apt('install', '--no-install-recommends', ...wanted)
  if (policy) rmSync(POLICY)
  return existsSync(DOCKERD)
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const engine = startDocker((name, reason) => console.error(`${name}: ${reason}`))
  if (engine) {
    console.log(`A Docker engine answers at ${engine.host}. Ctrl-C stops it.`)
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => {
        engine.stop()
        process.exit()
      })
    setInterval(() => undefined, 60_000)
  }
}
