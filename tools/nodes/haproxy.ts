/** HAProxy with `deploy/haproxy.cfg`. Its health checks detect that a node drains or is ready. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureInstalled } from '../../scripts/apt.mjs'
import { type ProxyKind, replaceIn, sampleOf, startProgram, stopProgram, withNodes } from './proxy.ts'

const program = '/usr/sbin/haproxy'
/** Milliseconds. */
const noticedWithin = 3000

export function haproxySettings(sample: string, port: number, nodes: readonly string[]): string {
  const plain = replaceIn(sample, / +bind :443 .*\n.*redirect scheme.*\n/, '')
  return withNodes(replaceIn(plain, /bind :80$/m, `bind 127.0.0.1:${port}`), nodes)
}

export const haproxy: ProxyKind = {
  closesKept: false,
  isInstalled: () => ensureInstalled(program, 'haproxy'),
  async start(folder, port, nodes) {
    const file = join(folder, 'haproxy.cfg')
    writeFileSync(file, haproxySettings(sampleOf('haproxy.cfg'), port, nodes))
    const url = `http://127.0.0.1:${port}`
    const child = await startProgram(program, ['-db', '-f', file], '-c', url)
    return {
      url,
      port,
      takeOut: async () => undefined,
      putBack: () => sleep(noticedWithin),
      stop: () => stopProgram(child),
    }
  },
}
