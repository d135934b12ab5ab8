/** Tasks that a worker process leaves to the first process of its node: sweeps, what a start creates and prints, and containers. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'
import { type AppOptions, buildApp, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { noEngine } from '../src/ports/engine/none.ts'
import { freshDatabase } from './database.ts'

/** Starts the application on an empty database, with an engine that counts how often it was listed, and reports a change to it. */
async function start(more: Pick<AppOptions, 'isWorker'>) {
  const database = await freshDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-further-'))
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'silent', VEXIL_DRAIN_SECONDS: '0' }
  const list = vi.fn(async () => [])
  const options = {
    config: readConfig(env),
    database,
    printLine: () => undefined,
    engine: { ...noEngine, kind: 'Docker', list },
    ...more,
  }
  const app = await startApp(options as AppOptions)
  app.deps.bus.publish('challenge.changed', { gameId: 1, challengeId: 1 })
  const count = async (table: 'posts' | 'setupTokens' | 'logs') =>
    (await database.db.selectFrom(table).selectAll().execute()).length

  /** What it has created, logged and requested so far. */
  async function found() {
    await app.deps.log.flush()
    return {
      link: app.setupLink !== null,
      file: existsSync(join(dataDir, 'setup-link')),
      tokens: await count('setupTokens'),
      posts: await count('posts'),
      logs: await count('logs'),
      listed: list.mock.calls.length,
    }
  }
  /** Ends the application, and returns the number of sweeps of one that is built in the same way. */
  async function end() {
    await app.close()
    const built = await buildApp(options as AppOptions)
    const swept = (await built.sweeps.run()).length
    await built.close()
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
    return swept
  }
  return { found, end }
}

test('the first process creates the welcome post and the setup link, logs external checks, and sweeps; a worker process does none of it', async () => {
  // It starts before the first process, so it would also have done what the first one has done after its start and the change.
  const isWorker = await start({ isWorker: true })
  const first = await start({})
  // Listed at the start and after the change.
  await expect.poll(first.found).toEqual({ link: true, file: true, tokens: 1, posts: 1, logs: 2, listed: 2 })
  expect(await isWorker.found()).toEqual({ link: false, file: false, tokens: 0, posts: 0, logs: 0, listed: 0 })
  expect([await first.end(), await isWorker.end()]).toEqual([11, 0])
})
