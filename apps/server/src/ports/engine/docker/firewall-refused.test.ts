/** A host that refuses the firewall rules. */
import { expect, test, vi } from 'vitest'
import { ensureFirewall } from './firewall.ts'

const commands = vi.hoisted((): string[] => [])
vi.mock('node:child_process', () => ({
  execFile: (program: string, _args: unknown, _options: unknown, done: (error: Error) => void) => {
    commands.push(program)
    done(new Error('Permission denied (you must be root)\n'))
  },
}))

test('when the host refuses the rules its error is reported, after several attempts', async () => {
  expect(await ensureFirewall(['10.0.0.0/8'])).toBe(
    'Could not set the firewall rules on this host: Permission denied (you must be root)',
  )
  expect(commands).toEqual(Array(8).fill('iptables'))
})
