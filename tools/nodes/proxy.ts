/** HAProxy with `deploy/haproxy.cfg`, of which only ports and addresses are replaced; TLS is left out. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureInstalled } from '../../scripts/apt.mjs'
import { isReady } from '../chaos/nodes.ts'

const program = '/usr/sbin/haproxy'
const readyWithin = 20_000

export interface LoadBalancer {
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

export const isInstalled = (): boolean => ensureInstalled(program, 'haproxy')

/** @throws an error when a line that is to be replaced is missing */
export function settingsOf(sample: string, port: number, nodes: readonly string[]): string {
  let text = sample
  const replace = (line: RegExp, by: string) => {
    if (!line.test(text)) throw new Error(`deploy/haproxy.cfg has no line ${line}`)
    text = text.replace(line, by)
  }
  replace(/bind :80$/m, `bind 127.0.0.1:${port}`)
  replace(/ +bind :443 .*\n.*redirect scheme.*\n/, '')
  for (const node of nodes) replace(/10\.0\.0\.\d:8080$/m, new URL(node).host)
  return text
}

/** Returns when it serves. */
export async function startHaproxy(folder: string, port: number, nodes: readonly string[]): Promise<LoadBalancer> {
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, settingsOf(readFileSync(join(import.meta.dirname, '../../deploy/haproxy.cfg'), 'utf8'), port, nodes))
  const checked = spawnSync(program, ['-c', '-f', file], { encoding: 'utf8' })
  if (checked.status !== 0) throw new Error(`deploy/haproxy.cfg is not valid:\n${checked.stderr}`)
  const child = spawn(program, ['-db', '-f', file], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  for (const end = performance.now() + readyWithin; !(await isReady(url)); await sleep(100))
    if (child.exitCode !== null || performance.now() > end) throw new Error('HAProxy does not serve')
  return {
    url,
    port,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
