/** The database broken under load, 30 rounds on the embedded one and 30 on PostgreSQL 15 with two nodes. */
import { spawnSync } from 'node:child_process'
import { withPostgres15 } from './postgres-15.mjs'

function breaks(env) {
  const { status } = spawnSync('vitest', ['run', '--project', 'integration', 'apps/server/test/breaks.test.ts'], {
    stdio: 'inherit',
    env: { ...process.env, VEXIL_ROUNDS: process.env.VEXIL_ROUNDS ?? '30', ...env },
  })
  if (status !== 0) process.exitCode = 1
}

console.log('== embedded PostgreSQL')
breaks({})
console.log('== PostgreSQL 15, two nodes')
withPostgres15(
  (url, server) => breaks({ VEXIL_BREAKS_SERVER: JSON.stringify({ url, ...server }) }),
  (_name, why) => console.log(`not run: ${why}`),
)
