import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { firewallRules, firewallScript } from './firewall.ts'

const deny = ['10.1.2.3/8', 'fd00::/8', '169.254.0.0/16']

test('replies pass; the host, other containers, published ports and denied ranges are dropped, and isolated containers have no outbound access', () => {
  expect(firewallRules(deny)).toEqual([
    '-A VEXIL-INPUT -m conntrack --ctstate RELATED,ESTABLISHED --ctdir REPLY -j RETURN',
    '-A VEXIL-INPUT -j DROP',
    '-A VEXIL-FORWARD -m conntrack --ctstate RELATED,ESTABLISHED --ctdir REPLY -j RETURN',
    '-A VEXIL-FORWARD -i vx-i+ -j DROP',
    '-A VEXIL-FORWARD -o vx-+ -j DROP',
    '-A VEXIL-FORWARD -m conntrack --ctstate DNAT -j DROP',
    '-A VEXIL-FORWARD -d 10.0.0.0/8 -j DROP',
    '-A VEXIL-FORWARD -d 169.254.0.0/16 -j DROP',
  ])
})

test('the printed script removes old hooks, creates the chains and inserts the hooks first', () => {
  const lines = firewallScript(deny).split('\n')
  expect(lines.slice(1, 4)).toEqual(['*mangle', ':VEXIL-INPUT - [0:0]', ':VEXIL-FORWARD - [0:0]'])
  for (const rule of firewallRules(deny)) expect(lines).toContain(rule)
  expect(lines.slice(-3)).toEqual([
    'iptables -w 5 -t mangle -I INPUT -i vx-+ -j VEXIL-INPUT',
    'iptables -w 5 -t mangle -I FORWARD -i vx-+ -j VEXIL-FORWARD',
    '',
  ])
})

test('`npm run firewall` prints the script for VEXIL_CONTAINER_DENY; a wrong value is reported', () => {
  const command = join(import.meta.dirname, '../../../../../../scripts/firewall.ts')
  const runWith = (deny: string) =>
    spawnSync(process.execPath, [command], { encoding: 'utf8', env: { VEXIL_CONTAINER_DENY: deny } })
  expect(runWith('10.1.0.0/16')).toMatchObject({ status: 0, stdout: `${firewallScript(['10.1.0.0/16'])}\n`, stderr: '' })
  const wrong = runWith('10.1.0.0/33')
  expect(wrong).toMatchObject({ status: 2, stdout: '' })
  expect(wrong.stderr).toMatch(/^VEXIL_CONTAINER_DENY.*\n$/)
})
