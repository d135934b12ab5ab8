/** nginx with `deploy/nginx.conf` and `deploy/nginx-nodes.conf`. Nodes are taken out and put back with the commands of docs/runbook.md. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureInstalled } from '../../scripts/apt.mjs'
import { root } from '../../scripts/toolchain.mjs'
import { type ProxyKind, replaceIn, sampleOf, startProgram, stopProgram, withNodes } from './proxy.ts'

export const program = '/usr/sbin/nginx'
/** Milliseconds until the processes with the new settings serve. */
const reloadedWithin = 1000

/** The two blocks of commands: to take the second node out, and to put it back. */
function commandsOf(book: string): readonly [string, string] {
  const [out, back, ...more] = [...book.matchAll(/^```sh nodes\n(.+?)^```/gms)].map(([, block]) => block)
  if (!out || !back || more.length > 0) throw new Error('docs/runbook.md does not have two blocks for `nodes`.')
  return [out, back]
}

/** `deploy/nginx.conf` without the block that nginx-nodes.conf replaces, and without TLS. */
export function siteSettings(sample: string, port: number): string {
  const removed = [
    /^upstream vexil \{\n(?: .*\n)+\}\n/m,
    /^server \{\n +listen 80;\n(?: .*\n)+\}\n/m,
    / +listen \[::\]:443 .*\n/,
    / +ssl_certificate .*\n/,
    / +ssl_certificate_key .*\n/,
  ]
  const plain = removed.reduce((text, found) => replaceIn(text, found, ''), sample)
  return replaceIn(plain, /listen 443 ssl http2;/, `listen 127.0.0.1:${port};`)
}

/** The settings of the /etc/nginx/nginx.conf of a distribution. */
const mainSettings = () => {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path temporary/${name};`)
  return `daemon off; pid nginx.pid; error_log error.log; worker_rlimit_nofile 32768; events { worker_connections 16384; }
http { access_log off; ${places.join(' ')} include conf.d/*.conf; }
`
}

export const nginx: ProxyKind = {
  closesKept: true,
  isInstalled: () => ensureInstalled(program, 'nginx-light'),
  async start(folder, port, nodes) {
    const sites = join(folder, 'conf.d')
    for (const path of [sites, join(folder, 'temporary')]) mkdirSync(path)
    writeFileSync(join(folder, 'nginx.conf'), mainSettings())
    writeFileSync(join(sites, 'vexil.conf'), siteSettings(sampleOf('nginx.conf'), port))
    writeFileSync(join(sites, 'vexil-nodes.conf'), withNodes(sampleOf('nginx-nodes.conf'), nodes))
    const options = ['-p', folder, '-c', join(folder, 'nginx.conf')]
    const url = `http://127.0.0.1:${port}`
    const child = await startProgram(program, options, '-t', url)
    const commands = commandsOf(readFileSync(join(root, 'docs/runbook.md'), 'utf8'))
    const execute = async (block: string, at: number) => {
      const here = block.replaceAll('/etc/nginx/conf.d', sites).replaceAll('10.0.0.2:8080', new URL(nodes[at] as string).host)
      const shell = `set -e\nnginx() { ${program} ${options.join(' ')} "$@"; }\n${here}`
      const { status, stderr } = spawnSync('sh', ['-c', shell], { encoding: 'utf8' })
      if (status !== 0) throw new Error(`A command of docs/runbook.md failed:\n${block}${stderr}`)
      await sleep(reloadedWithin)
    }
    return {
      url,
      port,
      takeOut: (at) => execute(commands[0], at),
      putBack: (at) => execute(commands[1], at),
      stop: () => stopProgram(child),
    }
  },
}
