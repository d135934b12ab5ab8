/** A second machine for the tests: a network namespace at 198.18.77.2 (like an address of the internet) and 10.213.77.2 (private). */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'

const name = 'vexil-outside'
const link = 'vexil-out'
const ip = (...args: string[]) => execFileSync('/usr/sbin/ip', args, { stdio: ['ignore', 'ignore', 'ignore'] })

export const outside = {
  public: '198.18.77.2',
  private: '10.213.77.2',
  port: 9000,
  hostPublic: '198.18.77.1',
  hostPrivate: '10.213.77.1',
}
export const metadata = '169.254.169.254'

/** Needs root. Both addresses answer `reached` on port 9000; the host itself gets the metadata address of clouds. */
export async function openOutside(): Promise<() => void> {
  close()
  ip('netns', 'add', name)
  ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name)
  ip('link', 'set', link, 'up')
  for (const address of [outside.hostPublic, outside.hostPrivate]) ip('address', 'add', `${address}/24`, 'dev', link)
  ip('address', 'add', `${metadata}/32`, 'dev', link)
  ip('-n', name, 'link', 'set', 'eth0', 'up')
  for (const address of [outside.public, outside.private]) ip('-n', name, 'address', 'add', `${address}/24`, 'dev', 'eth0')
  // Its answers are routed back to containers, whether their addresses were rewritten or not.
  ip('-n', name, 'route', 'add', '100.64.0.0/10', 'via', outside.hostPublic)
  const listener = spawn('/usr/sbin/ip', [
    'netns',
    'exec',
    name,
    '/bin/busybox',
    'nc',
    '-ll',
    '-p',
    String(outside.port),
    '-e',
    '/bin/echo',
    'reached',
  ])
  await once(listener, 'spawn')
  return () => {
    listener.kill()
    close()
  }
}

/** The output that an outside player receives from an address; empty if it is not reachable. */
export function talkFromOutside(host: string, port: number, input: string): string {
  const command = ['netns', 'exec', name, '/bin/busybox', 'nc', '-w', '3', host, String(port)]
  try {
    return execFileSync('/usr/sbin/ip', command, { input, encoding: 'utf8', timeout: 5_000, stdio: ['pipe', 'pipe', 'ignore'] })
  } catch {
    return ''
  }
}

function close(): void {
  for (const command of [
    ['link', 'delete', link],
    ['netns', 'delete', name],
  ])
    try {
      ip(...command)
    } catch {
      // It did not exist.
    }
}
