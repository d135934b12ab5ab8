/** What a process leaves to the first of its node: sweeps, what a start makes and says, and containers. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { freePort } from '../../../e2e/platform.ts'
import { type AppOptions, buildApp, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { noEngine } from '../src/ports/engine/none.ts'
import { freshDatabase } from './database.ts'

/** Starts the application on an empty database, with an engine that counts how often it was listed. */
async function started(more: Pick<AppOptions, 'further'>) {
  const database = await freshDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-further-'))
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'silent', VEXIL_DRAIN_SECONDS: '0' }
  const list = vi.fn(async () => [])
  const options = {
    config: readConfig(env),
    database,
    note: () => undefined,
    engine: { ...noEngine, kind: 'Docker', list },
    ...more,
  }
  const app = await startApp(options as AppOptions)
  app.deps.bus.publish('challenge.changed', { gameId: 1, challengeId: 1 })
  // At the start and after the change; a further process does neither, however long it is waited for.
  if (!more.further) await vi.waitFor(() => expect(list).toHaveBeenCalledTimes(2))
  await sleep(300)
  await app.deps.log.flush()
  const count = async (table: 'posts' | 'setupTokens' | 'logs') =>
    (await database.db.selectFrom(table).selectAll().execute()).length
  const found = {
    link: app.setupLink !== null,
    file: existsSync(join(dataDir, 'setup-link')),
    tokens: await count('setupTokens'),
    posts: await count('posts'),
    logs: await count('logs'),
    listed: list.mock.calls.length,
  }
  await app.close()
  const built = await buildApp(options as AppOptions)
  const swept = (await built.sweeps.run()).length
  await built.close()
  await database.drop()
  rmSync(dataDir, { recursive: true, force: true })
  return { ...found, swept }
}

test('the first process makes the welcome post and the set-up link, says what it found outside, and sweeps; a further one does nothing of it', async () => {
  const first = await started({})
  expect(first).toMatchObject({ link: true, file: true, tokens: 1, posts: 1, logs: 1, swept: 7 })
  expect(first.listed).toBe(2)
  expect(await started({ further: true })).toEqual({
    link: false,
    file: false,
    tokens: 0,
    posts: 0,
    logs: 0,
    listed: 0,
    swept: 0,
  })
})
