// Waits: for a platform and its faults.
/** A short round of the tool `chaos`; `npm run proof -- --only chaos` plants every fault. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const tool = join(import.meta.dirname, '../../../tools/chaos/chaos.ts')

test('after three faults under load nothing is lost, stored twice or shown wrongly', async () => {
  const args = ['--only', 'kill-both,kill-worker,no-connections', '--seed', '1', '--players', '6', '--patience', '4']
  const { stdout } = await promisify(execFile)(process.execPath, [tool, ...args])
  expect(stdout.match(/back after \d+ ms; wrong: 0$/gm)).toHaveLength(3)
  expect(stdout).toMatch(/^[1-9]\d+ answers and [1-9]\d* accounts were acknowledged/m)
}, 300_000)
