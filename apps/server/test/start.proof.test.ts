/** What an operator sees when several processes cannot start, a folder is already in use, or the power fails repeatedly. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startsIn } from './launch.ts'

const { folder, serve, refusal } = startsIn()

test('more processes than the database has connections for, or more than sixteen, are refused', async () => {
  const many = { VEXIL_PROCESSES: '7', DATA_DIR: join(folder, 'many') }
  expect(await refusal(many)).toBe(
    'VEXIL_DATABASE_POOL is 20, and 12 more connections are needed by each of 7 processes, but the database allows 197.',
  )
  expect(await refusal({ VEXIL_PROCESSES: '17' })).toBe('VEXIL_PROCESSES must be a whole number from 1 to 16, not "17".')
})

test('a port in use is reported with several processes too, and the processes do not conflict with each other', async () => {
  const server = createServer().listen({ port: 0, host: '127.0.0.1', reusePort: true })
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const env = { PORT: String(port), DATA_DIR: join(folder, 'port'), VEXIL_PROCESSES: '2' }
  expect(await refusal(env)).toMatch(/^Port \d+ on 127\.0\.0\.1 is in use by another program/)
  server.close()
})

test('the folder of a running platform is refused, and that platform continues', async () => {
  const first = await serve({ DATA_DIR: join(folder, 'shared') })
  const output = await refusal({ DATA_DIR: join(folder, 'shared') })
  expect(output).toContain(`is in use by a running platform (process ${first.child.pid})`)
  expect((await fetch(`http://127.0.0.1:${first.port}/healthz`)).status).toBe(200)
  first.child.kill('SIGTERM')
  const { code, out } = await first.ended
  expect(code).toBe(0)
  expect(out).toContain(join(folder, 'shared'))
})

test('after a kill of platform and database it starts again, twice', async () => {
  const dataDir = join(folder, 'killed')
  for (let round = 0; round < 2; round++) {
    const { child, ended } = await serve({ DATA_DIR: dataDir })
    const postmaster = Number.parseInt(readFileSync(join(dataDir, 'pg18/postmaster.pid'), 'utf8'), 10)
    process.kill(postmaster, 'SIGKILL')
    child.kill('SIGKILL')
    await ended
  }
  const { child, ended } = await serve({ DATA_DIR: dataDir })
  child.kill('SIGINT')
  expect((await ended).code).toBe(0)
})
