/** Rules that isolate containers from each other, from the host and from private ranges. Docker's options do not suffice: containers of an internal network still reach the host. */
import { execFile } from 'node:child_process'
import { isIPv4 } from 'node:net'
import { promisify } from 'node:util'
import { bridgePrefix, isolatedPrefix, wellFormed } from './docker-network.ts'

/** A user's PATH may lack these folders. */
const env = { PATH: '/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin' }
const execute = promisify(execFile)
const run = (program: string, args: string[]) => execute(program, args, { env })
const attempts = 4
/** Packets of connections that containers opened are checked one by one: such a connection ends when rules that were missing are restored. */
const replies = '-m conntrack --ctstate RELATED,ESTABLISHED --ctdir REPLY -j RETURN'
/**
 * The first rules of INPUT and FORWARD in the table mangle, which Docker does not change. In the table filter, it removes its call of DOCKER-USER
 * and adds it again for each network it creates.
 */
const hooks = [`INPUT -i ${bridgePrefix}+ -j VEXIL-INPUT`, `FORWARD -i ${bridgePrefix}+ -j VEXIL-FORWARD`]

/** The rules of our chains in the format of `iptables -S`, for packets from containers to the host and through it. Replies pass. */
export function firewallRules(deny: readonly string[]): string[] {
  // Containers have no IPv6.
  const ranges = deny.filter((range) => isIPv4(range.split('/')[0] ?? '')).map(wellFormed)
  return [
    `-A VEXIL-INPUT ${replies}`,
    '-A VEXIL-INPUT -j DROP',
    `-A VEXIL-FORWARD ${replies}`,
    `-A VEXIL-FORWARD -i ${isolatedPrefix}+ -j DROP`,
    `-A VEXIL-FORWARD -o ${bridgePrefix}+ -j DROP`,
    // Ports that this host publishes, of any container.
    '-A VEXIL-FORWARD -m conntrack --ctstate DNAT -j DROP',
    ...ranges.map((range) => `-A VEXIL-FORWARD -d ${range} -j DROP`),
  ]
}

/** Shell commands for root on the engine's host that set the rules and replace older ones. */
export function firewallScript(deny: readonly string[]): string {
  const drop = hooks.map((hook) => `while iptables -w 5 -t mangle -D ${hook} 2>/dev/null; do :; done`)
  const set = hooks.map((hook) => `iptables -w 5 -t mangle -I ${hook}`)
  return [`iptables-restore -w 5 --noflush <<'END'\n${restored(firewallRules(deny))}END`, ...drop, ...set, ''].join('\n')
}

/** Checks the rules of this host, and sets them if they are missing or not first. Returns `in place`, or a sentence that describes the problem. */
export async function ensureFirewall(deny: readonly string[]): Promise<string> {
  let problem = 'they changed while they were read'
  for (let attempt = 0; attempt < attempts; attempt++)
    try {
      const [found, ofDocker] = await Promise.all([listRules('mangle'), listRules('filter')])
      if (!ofDocker.includes('-N DOCKER-USER')) return 'The engine on this host does not use iptables (DOCKER-USER is missing).'
      if (isComplete(found, deny)) return 'in place'
      await setRules(found, deny)
    } catch (error) {
      problem = (error as Error).message.trim()
    }
  return `Could not set the firewall rules on this host: ${problem}`
}

async function listRules(table: 'mangle' | 'filter'): Promise<string[]> {
  const { stdout } = await run('iptables', ['-w', '5', '-t', table, '-S'])
  return stdout.split('\n')
}

function isComplete(found: readonly string[], deny: readonly string[]): boolean {
  const ours = found.filter((line) => line.startsWith('-A VEXIL-'))
  const wanted = firewallRules(deny)
  const inOrder = (chain: string) => (line: string) => line.startsWith(`-A ${chain} `)
  const first = (hook: string) => found.find(inOrder(hook.split(' ')[0] ?? '')) === `-A ${hook}`
  const same = ['VEXIL-INPUT', 'VEXIL-FORWARD'].every(
    (chain) => ours.filter(inOrder(chain)).join() === wanted.filter(inOrder(chain)).join(),
  )
  return same && hooks.every(first)
}

async function setRules(found: readonly string[], deny: readonly string[]): Promise<void> {
  const stale = found.filter((line) => hooks.some((hook) => line === `-A ${hook}`)).map((line) => line.replace('-A', '-D'))
  const input = restored([...firewallRules(deny), ...stale, ...hooks.map((hook) => `-I ${hook}`)])
  const restore = run('iptables-restore', ['-w', '5', '--noflush'])
  restore.child.stdin?.end(input)
  await restore
}

/** One transaction, so that our chains are never empty. */
function restored(lines: readonly string[]): string {
  return ['*mangle', ':VEXIL-INPUT - [0:0]', ':VEXIL-FORWARD - [0:0]', ...lines, 'COMMIT', ''].join('\n')
}
