/** The same-instant tests, 50 rounds each, on the embedded PostgreSQL and on PostgreSQL 15. */
import { spawnSync } from 'node:child_process'
import { withPostgres15 } from './postgres-15.mjs'

function race(env) {
  const { status } = spawnSync('vitest', ['run', '--project', 'integration', 'apps/server/test/concurrency.test.ts'], {
    stdio: 'inherit',
    env: { ...process.env, VEXIL_ROUNDS: process.env.VEXIL_ROUNDS ?? '50', ...env },
  })
  if (status !== 0) process.exitCode = 1
}

console.log('== embedded PostgreSQL')
race({})
console.log('== PostgreSQL 15')
withPostgres15(
  (url) => race({ VEXIL_TEST_DATABASE_URL: url }),
  (_name, why) => console.log(`not run: ${why}`),
)
