import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Whether the program is installed. If it is not, installs the packages as root on Debian. */
export function ensureInstalled(program, ...packages) {
  if (existsSync(program)) return true
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  console.log(`Installing ${packages[0]} by apt (once).`)
  const apt = (...args) =>
    spawnSync('apt-get', ['-qq', '-y', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    })
  apt('update')
  apt('install', '--no-install-recommends', ...packages)
  return existsSync(program)
}
