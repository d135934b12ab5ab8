/** The running programs of the cluster: each has a file with its pid and one with its output. */
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onNode } from './network.ts'
import type { Part } from './parts.ts'
import { apiServer, env, folder } from './place.ts'

const pidFile = (name: string) => join(folder, 'pids', name)

export function spawnPart({ name, command }: Part): void {
  const log = openSync(join(folder, 'logs', `${name}.log`), 'a')
  const [program, args] = onNode(...command)
  const child = spawn(program, args, { cwd: '/', detached: true, stdio: ['ignore', log, log], env })
  closeSync(log)
  writeFileSync(pidFile(name), String(child.pid))
  child.unref()
}

export function signalPart(name: string, signal: NodeJS.Signals): void {
  process.kill(Number(readFileSync(pidFile(name), 'utf8')), signal)
}

/** Ends a part with SIGTERM, and after five seconds with SIGKILL. Does nothing if it does not run. */
export async function endPart(name: string): Promise<void> {
  if (!isAlive(name)) return
  signalPart(name, 'SIGTERM')
  for (let i = 0; i < 50 && isAlive(name); i++) await sleep(100)
  if (isAlive(name)) signalPart(name, 'SIGKILL')
}

export function isAlive(name: string): boolean {
  try {
    const pid = readFileSync(pidFile(name), 'utf8')
    return /^State:\s+[^ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

export function lastLines(name: string): string {
  const text = readFileSync(join(folder, 'logs', `${name}.log`), 'utf8')
  return text.trim().split('\n').slice(-15).join('\n')
}

/** Whether the API server is ready. It creates its own certificate, which is not known before. */
export function apiAnswers(): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = request(`${apiServer}/readyz`, { rejectUnauthorized: false, timeout: 2_000 }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    outgoing.on('timeout', () => outgoing.destroy())
    outgoing.on('error', () => resolve(false))
    outgoing.end()
  })
}
