/** Backups of earlier releases: each is restored, upgraded and verified, and its game continues. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { afterEach, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { emptyDatabase } from '../../test/database.ts'
import { startTestPlatform } from '../../test/platform.ts'
import { startSession } from '../accounts/sessions.ts'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/database.ts'
import { listMigrations } from '../db/migrate.ts'
import { cookieName } from '../http/session-cookie.ts'
import { readVersion } from '../read-version.ts'
import { runCommand } from './run.ts'

const folder = join(import.meta.dirname, '../../test/archives')
const archives = readdirSync(folder).filter((name) => name.endsWith('.tar'))

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const aFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'vexil-archives-'))
  closers.push(() => rmSync(path, { recursive: true, force: true }))
  return path
}
const run = async (args: string[], env: Record<string, string>) => {
  const printed: string[] = []
  const print = (line: string) => void printed.push(line)
  return { code: await runCommand(args, { env, serve: async () => undefined, print, printError: print }), printed }
}

/** A game that runs for many years, with two teams; `Second` has not solved `Open` yet. */
async function play(platform: Awaited<ReturnType<typeof startTestPlatform>>): Promise<void> {
  const { db } = platform
  const admin = await platform.as(await anAccount(db, { role: 'Admin', userName: 'Chief' }))
  const game = await aGame(db, { title: 'Played', starts: '-1h', ends: '876000h', writeupRequired: true })
  const warmUp = await aChallenge(db, game, { title: 'Warm-up', category: 'Web' })
  const open = await aChallenge(db, game, { title: 'Open' })
  const own = await aChallenge(db, game, { title: 'Own', type: 'DynamicContainer', flags: [], containerImage: 'image' })
  await admin.upload('POST', '/api/assets', 'files', [{ name: 'task.txt', bytes: Buffer.from('a task') }])
  await admin.post('/api/edit/posts', { title: 'News', content: 'Welcome' })
  const send = async (user: Awaited<ReturnType<typeof platform.as>>, to: number, flag: string) =>
    expect((await user.post(`/api/game/${game}/challenges/${to}`, { flag })).status).toBe(200)
  for (const name of ['First', 'Second']) {
    const team = await aTeam(db, { name, captain: await anAccount(db, { userName: `${name}Captain` }) })
    const participationId = await aParticipation(db, game, team)
    await db
      .insertInto('teamFlags')
      .values({ participationId, challengeId: own, flag: `flag{of ${name}}` })
      .execute()
    const captain = await platform.as(team.captain)
    await send(captain, warmUp, 'flag{wrong}')
    await send(captain, warmUp, 'flag{right}')
    await send(captain, own, 'flag{of First}')
    if (name === 'First') await send(captain, open, 'flag{right}')
  }
}

const makeArchive = async () => {
  const platform = await startTestPlatform()
  closers.push(platform.stop)
  await play(platform)
  const last = listMigrations().at(-1)?.name.slice(0, 4)
  const env = {
    DATABASE_URL: platform.database.url,
    DATA_DIR: platform.dataDir,
    SECRET_KEY: platform.deps.config.secretKey ?? '',
  }
  expect(await run(['backup', join(folder, `${last}-${readVersion()}.tar`)], env)).toMatchObject({ code: 0 })
}
if (process.env.VEXIL_MAKE_ARCHIVE) test('makes the archive of this release', makeArchive)

test('there is an archive', () => expect(archives.length).toBeGreaterThan(0))

test.each(archives)('%s is restored, upgraded and verified, and one more flag scores', async (name) => {
  const database = await emptyDatabase()
  closers.push(database.drop)
  const env = { DATABASE_URL: database.url, DATA_DIR: join(aFolder(), 'data'), DISABLE_RATE_LIMIT: 'true', LOG_LEVEL: 'error' }
  const { code, printed } = await run(['restore', join(folder, name)], env)
  expect([code, printed.at(-1)]).toEqual([0, expect.stringMatching(/^\d{2,} checks, 0 with differences\.$/)])
  expect(await run(['migrate', '--check'], env)).toEqual({ code: 0, printed: ['The schema is current.'] })
  expect(existsSync(join(env.DATA_DIR, 'secret-key'))).toBe(true)

  const opened = await openDatabase({ source: { url: database.url }, poolSize: 5 })
  closers.push(opened.close)
  const { app, close } = await buildApp({
    config: readConfig({ ...env, VEXIL_DRAIN_SECONDS: '0' }),
    database: opened,
    printLine: () => {},
  })
  closers.push(() => close())
  const { db } = opened
  const idOf = async (table: 'games' | 'challenges', title: string) =>
    (await db.selectFrom(table).select('id').where('title', '=', title).executeTakeFirstOrThrow()).id
  const [game, challenge] = [await idOf('games', 'Played'), await idOf('challenges', 'Open')]
  const captain = await db.selectFrom('accounts').select('id').where('userName', '=', 'SecondCaptain').executeTakeFirstOrThrow()
  const session = await startSession(db, captain.id)
  const ask = (options: InjectOptions) => app.inject({ ...options, cookies: { [cookieName]: session } })
  const board = async () => {
    const reply = await ask({ url: `/api/game/${game}/scoreboard` })
    const { items } = reply.json() as { items: { name: string; score: number; solvedCount: number }[] }
    return Object.fromEntries(items.map((item) => [item.name, item.solvedCount]))
  }
  expect(await board()).toEqual({ First: 3, Second: 1 })
  const sent = await ask({ method: 'POST', url: `/api/game/${game}/challenges/${challenge}`, payload: { flag: 'flag{right}' } })
  expect(sent.statusCode).toBe(200)
  await expect.poll(board).toEqual({ First: 3, Second: 2 })
  expect((await run(['verify', '--deep', '--url', 'http://127.0.0.1:9'], env)).code).toBe(0)
})
