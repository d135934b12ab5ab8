// Waits: for commands.
/** The commands of the blocks of docs/runbook.md that are marked `demo`, executed while a platform runs. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { startsIn } from './launch.ts'

const root = join(import.meta.dirname, '../../..')
const { folder, serve } = startsIn()
const book = readFileSync(join(root, 'docs/runbook.md'), 'utf8')
/** Each command once; a block is a list of commands of one line. */
const commands = new Set([...book.matchAll(/^```sh demo\n(.+?)^```/gms)].flatMap(([, block]) => block!.trim().split('\n')))

test('the commands of the run book succeed on a running platform', async () => {
  const DATA_DIR = join(folder, 'data')
  const BACKUPS = join(folder, 'backups')
  mkdirSync(BACKUPS)
  const { port } = await serve({ DATA_DIR, ADMIN_PASSWORD: 'Correct-Horse-9' })
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, DATA_DIR, BACKUPS, PORT: port }
  expect(commands.size).toBeGreaterThan(7)
  for (const command of commands) {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: root, env, encoding: 'utf8' })
    expect([command, status, status === 0 ? '' : stdout + stderr]).toEqual([command, 0, ''])
  }
}, 300_000)
