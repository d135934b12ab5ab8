/** The common code of both proxies: their start, and the samples of `deploy/`, in which only ports and addresses are replaced and TLS is removed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../scripts/toolchain.mjs'
import { isReady } from '../chaos/nodes.ts'

const readyWithin = 20_000

export interface LoadBalancer {
  readonly url: string
  readonly port: number
  /** Must be called before node number `at` is stopped. */
  takeOut(at: number): Promise<void>
  /** Must be called once the node is ready again; returns when it gets requests. */
  putBack(at: number): Promise<void>
  stop(): Promise<void>
}

export interface ProxyKind {
  /** A reload closes persistent connections even while a request is in transit; browsers resend it. */
  readonly closesKept: boolean
  isInstalled(): boolean
  /** `folder`: the folder for its settings; `nodes`: the addresses of the nodes. Returns when it serves requests. */
  start(folder: string, port: number, nodes: readonly string[]): Promise<LoadBalancer>
}

export const sampleOf = (name: string): string => readFileSync(join(root, 'deploy', name), 'utf8')

/** @throws an error when there is nothing to replace */
export function replaceIn(text: string, found: RegExp, by: string): string {
  if (!found.test(text)) throw new Error(`The sample has no ${found}`)
  return text.replace(found, by)
}

/** Replaces the addresses of the sample with those of the nodes. */
export const withNodes = (sample: string, nodes: readonly string[]): string =>
  nodes.reduce((text, node) => replaceIn(text, /10\.0\.0\.\d:8080/, new URL(node).host), sample)

/** @throws an error with its output if the settings are not valid, or an error if it does not serve requests */
export async function startProgram(program: string, options: readonly string[], check: string, url: string) {
  const checked = spawnSync(program, [check, ...options], { encoding: 'utf8' })
  if (checked.status !== 0) throw new Error(`The settings of ${program} are not valid:\n${checked.stderr}`)
  const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'inherit'] })
  child.once('exit', (code, signal) => console.error(`${program} ended with ${signal ?? code}.`))
  for (const end = performance.now() + readyWithin; !(await isReady(url)); await sleep(100))
    if (child.exitCode !== null || performance.now() > end) throw new Error(`${program} does not serve`)
  return child
}

export async function stopProgram(child: ChildProcess): Promise<void> {
  child.removeAllListeners('exit')
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
