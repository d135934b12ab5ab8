/** Debian's docker-registry on a local address, for the tests of pulls; it requires credentials. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../e2e/platform.ts'

const program = '/usr/bin/docker-registry'
export const hasRegistry = existsSync(program)

export interface TestRegistry {
  /** `address:port`. */
  readonly name: string
  readonly user: string
  readonly password: string
  close(): void
}

export async function openRegistry(address = '127.0.0.1', givenPort?: number): Promise<TestRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-registry-'))
  const port = givenPort ?? (await freePort())
  // The hash (bcrypt) of `registry-pass`.
  writeFileSync(join(folder, 'htpasswd'), 'puller:$2b$04$Pp7anJ5JOpfN8gSHXkm2v.BqpgSsf3QhnWce6Gn.Hdeajh3Zu.ztG\n')
  const config = {
    version: 0.1,
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: `${address}:${port}` },
    auth: { htpasswd: { realm: 'tests', path: join(folder, 'htpasswd') } },
  }
  writeFileSync(join(folder, 'config.yml'), JSON.stringify(config))
  const registry = spawn(program, ['serve', join(folder, 'config.yml')], { stdio: 'ignore' })
  for (let i = 0; i < 100 && !(await answers(`${address}:${port}`)); i++) await sleep(100)
  return {
    name: `${address}:${port}`,
    user: 'puller',
    password: 'registry-pass',
    close: () => {
      registry.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const answers = (place: string) =>
  fetch(`http://${place}/v2/`).then(
    () => true,
    () => false,
  )
