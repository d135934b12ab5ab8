/** The network namespace of the node, and the veth pair between it and this machine. */
import { spawnSync } from 'node:child_process'
import { addresses, env, link, namespace } from './place.ts'

/** The command that runs a program on the node; it uses the file system of this machine, including `/sys` with the cgroups. */
export const onNode = (...command: string[]): [program: string, args: string[]] => [
  'nsenter',
  [`--net=/run/netns/${namespace}`, ...command],
]

function ip(...args: string[]): void {
  const done = spawnSync('ip', args, { encoding: 'utf8', env })
  if (done.status !== 0) throw new Error(`ip ${args.join(' ')}: ${done.stderr.trim()}`)
}

export function connectNode(): void {
  ip('netns', 'add', namespace)
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace)
  ip('address', 'add', `${addresses.machine}/24`, 'dev', link)
  ip('link', 'set', link, 'up')
  for (const name of ['lo', 'eth0']) ip('-n', namespace, 'link', 'set', name, 'up')
  ip('-n', namespace, 'address', 'add', `${addresses.node}/24`, 'dev', 'eth0')
  ip('-n', namespace, 'route', 'add', 'default', 'via', addresses.machine)
  // The platform on this machine reaches pods and services by their addresses.
  for (const range of [addresses.pods, addresses.services]) ip('route', 'add', range, 'via', addresses.node)
  const [command, args] = onNode('sysctl', '-qw', 'net.ipv4.ip_forward=1')
  if (spawnSync(command, args, { env }).status !== 0) throw new Error('the node cannot forward packets')
}

export function disconnectNode(): void {
  spawnSync('ip', ['link', 'delete', link], { env, stdio: 'ignore' })
  spawnSync('ip', ['netns', 'delete', namespace], { env, stdio: 'ignore' })
}
