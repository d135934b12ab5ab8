/**
 * A real Kubernetes cluster of one node, in a separate network namespace: `npm run tool -- cluster` builds what is missing and starts it,
 * `npm run tool -- cluster stop` removes it, `npm run tool -- cluster build` only builds.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { askApi } from './api.ts'
import { buildPrograms, installPackages } from './build.ts'
import { importPause } from './images.ts'
import { connectNode, disconnectNode } from './network.ts'
import { type Part, parts, writeFiles, writeKubeconfigs } from './parts.ts'
import { addresses, apiServer, env, folder, kubeconfig, node } from './place.ts'
import { apiAnswers, endPart, isAlive, lastLines, spawnPart } from './processes.ts'

/** Milliseconds. */
const patience = 120_000

const acts: Readonly<Record<string, () => void | Promise<void>>> = { start, stop, build: buildPrograms }
const word = process.argv[2] ?? 'start'
const isRoot = process.platform === 'linux' && process.getuid?.() === 0
if (!acts[word]) fail(`npm run tool -- cluster ${Object.keys(acts).join(' | ')}`)
if (word !== 'build' && !isRoot) fail('Only root on Linux can start a cluster.')
await acts[word]?.()

/** Prints a message and ends the process. */
function fail(message: string): never {
  console.error(message)
  process.exit(2)
}

async function start(): Promise<void> {
  if (existsSync(folder)) fail(`A cluster is there already (${folder}): npm run tool -- cluster stop`)
  installPackages()
  buildPrograms()
  const since = Date.now()
  try {
    writeFiles()
    connectNode()
    for (const part of parts) await startPart(part)
    await waitFor('the node', isReady)
  } catch (error) {
    console.error((error as Error).message)
    await stop()
    process.exit(1)
  }
  console.log(
    `A cluster answers at ${apiServer} after ${Math.round((Date.now() - since) / 1000)} s; pods are in ${addresses.pods}.`,
  )
  console.log(`Its administrator: KUBECONFIG=${kubeconfig('admin')}`)
}

async function startPart(part: Part): Promise<void> {
  const { name } = part
  spawnPart(part)
  if (name === 'kube-apiserver') {
    await waitFor(name, apiAnswers, name)
    writeKubeconfigs()
  }
  if (name === 'containerd') {
    await waitFor(name, () => existsSync(join(folder, 'containerd.sock')), name)
    importPause()
  }
}

interface Node {
  readonly spec: { readonly taints?: readonly object[] }
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

async function isReady(): Promise<boolean> {
  const found = await askApi<Node>('GET', `/api/v1/nodes/${node}`).catch(() => null)
  const account = await askApi('GET', '/api/v1/namespaces/default/serviceaccounts/default').catch(() => null)
  const ready = found?.status.conditions?.find(({ type }) => type === 'Ready')
  return account !== null && ready?.status === 'True' && !found?.spec.taints?.length
}

/** `part`: the part whose log is shown after a timeout. */
async function waitFor(what: string, condition: () => boolean | Promise<boolean>, part = 'kubelet'): Promise<void> {
  for (const until = Date.now() + patience; Date.now() < until; await sleep(250)) {
    if (await condition()) return
    const dead = readdirSync(join(folder, 'pids')).find((name) => !isAlive(name))
    if (dead) throw new Error(`${dead} ended:\n${lastLines(dead)}`)
  }
  throw new Error(`${what} is not there after ${patience / 1000} s:\n${lastLines(part)}`)
}

/** Ends the parts in reverse order, then the remaining containers, and removes everything that they created. */
async function stop(): Promise<void> {
  for (const { name } of parts.toReversed()) await endPart(name)
  for (const pid of shims()) endTree(pid)
  await sleep(500)
  const mounts = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
  for (const mount of mounts.filter((path) => path.startsWith(`${folder}/`)).toReversed())
    spawnSync('umount', ['-l', mount], { env })
  for (const line of mounts.filter((path) => path.startsWith('/run/netns/cni-'))) {
    spawnSync('umount', ['-l', line], { env })
    rmSync(line, { force: true })
  }
  disconnectNode()
  removeGroups()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  console.log('The cluster is removed.')
}

/** The shims that containerd started for its containers outlive it; each has the path of its socket on the command line. */
function shims(): number[] {
  const ours = (pid: string) =>
    read(`/proc/${pid}/cmdline`).includes(`${folder}/containerd.sock`) && read(`/proc/${pid}/comm`).startsWith('containerd-shim')
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && ours(name))
    .map(Number)
}

function endTree(pid: number): void {
  const children = read(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number)
  for (const child of children) endTree(child)
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended.
  }
}

/** Removes the cgroups of the kubelet, which are empty by now. */
function removeGroups(): void {
  for (const root of ['/sys/fs/cgroup', ...safeList('/sys/fs/cgroup').map((name) => join('/sys/fs/cgroup', name))]) {
    const group = join(root, 'kubepods')
    if (existsSync(group)) spawnSync('find', [group, '-depth', '-type', 'd', '-delete'], { stdio: 'ignore', env })
  }
}

function safeList(path: string): string[] {
  return existsSync(path) ? readdirSync(path) : []
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
