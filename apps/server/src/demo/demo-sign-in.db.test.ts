import { afterEach, expect, test } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { freshDatabase } from '../../test/database.ts'
import { startTestPlatform } from '../../test/platform.ts'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { demoRoutes } from './demo.routes.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const path = '/api/demo/session'
const post = (role: unknown, cookie = '') => ({
  method: 'POST' as const,
  url: path,
  payload: JSON.stringify({ role }),
  headers: { 'content-type': 'application/json', ...(cookie && { cookie }) },
})

/** The application as the demo starts it, and an account outside the demo. */
async function startDemoApp() {
  const database = await freshDatabase()
  closers.push(database.drop)
  const env = { DATA_DIR: '/nowhere', DISABLE_RATE_LIMIT: 'true', LOG_LEVEL: 'error', VEXIL_DRAIN_SECONDS: '0' }
  const config = readConfig({ ...env, SECRET_KEY: 'test secret key of 32 characters' })
  const people = { player: 'ann', organiser: 'Boss', monitor: 'watch' }
  const built = await buildApp({
    config,
    database,
    printLine: () => {},
    demoCalls: (http, deps) => demoRoutes(http, deps, people),
  })
  closers.push(() => built.close())
  const ids = {
    Boss: await anAccount(database.db, { userName: 'Boss', role: 'Admin' }),
    ann: await anAccount(database.db, { userName: 'ann' }),
    watch: await anAccount(database.db, { userName: 'watch', role: 'Monitor' }),
    neighbour: await anAccount(database.db, { userName: 'neighbour' }),
  }
  return { ...built, database, ids }
}

test('the demo signs in as player, organiser or monitor, and ends the session before', async () => {
  const { app, database, deps, ids } = await startDemoApp()
  const received: unknown[] = []
  deps.bus.subscribe('security.changed', (event) => void received.push(event))
  expect((await app.inject('/api/config')).json()).toMatchObject({ isDemo: true })
  let cookie = ''
  for (const [role, name] of [
    ['player', 'ann'],
    ['organiser', 'Boss'],
    ['monitor', 'watch'],
  ]) {
    const reply = await app.inject(post(role, cookie))
    expect(reply.statusCode).toBe(200)
    cookie = String(reply.headers['set-cookie']).split(';')[0]!
    const { user } = (await app.inject({ url: '/api/account/session', headers: { cookie } })).json()
    expect(user.userName).toBe(name)
    expect(await database.db.selectFrom('sessions').select('accountId').execute()).toHaveLength(1)
  }
  // Other nodes are notified of the two sessions that ended.
  expect(received).toHaveLength(2)
  const { lastIp } = await database.db
    .selectFrom('accounts')
    .select('lastIp')
    .where('id', '=', ids.watch)
    .executeTakeFirstOrThrow()
  expect(lastIp).toBe('127.0.0.1')
  const before = await database.db.selectFrom('sessions').selectAll().execute()
  for (const role of ['Admin', 'neighbour', '', null]) expect((await app.inject(post(role))).statusCode).toBe(400)
  expect(await database.db.selectFrom('sessions').selectAll().execute()).toEqual(before)
  const foreign = await app.inject({
    ...post('organiser'),
    headers: { ...post('organiser').headers, origin: 'https://evil.example' },
  })
  expect(foreign.statusCode).toBe(403)
})

test('no other start has the call, whatever the environment says', async () => {
  const platform = await startTestPlatform({ VEXIL_DEMO: 'true', DEMO: 'true' })
  closers.push(() => platform.stop())
  await anAccount(platform.db, { userName: 'Boss', role: 'Admin' })
  expect((await platform.app.inject('/api/config')).json()).toMatchObject({ isDemo: false })
  expect((await platform.app.inject(post('organiser'))).statusCode).toBe(404)
  expect(await platform.db.selectFrom('sessions').selectAll().execute()).toEqual([])
})
