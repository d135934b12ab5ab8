import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startSession } from '../src/accounts/sessions.ts'
import { inTransaction } from '../src/db/transaction.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { saveSettings } from '../src/site/settings.ts'
import { aGame, anAccount } from './builders/game.ts'
import { listenAt } from './hub.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

let platform: TestPlatform
let admin: string
const listeners: Awaited<ReturnType<typeof listenAt>>[] = []
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await anAccount(platform.db, { role: 'Admin' })
})
afterAll(async () => {
  for (const listener of listeners) listener.close()
  await platform.stop()
})

const listen = async (hub: string, accountId?: string) => {
  const listener = await listenAt(
    platform,
    hub,
    accountId ? { cookie: `${cookieName}=${await startSession(platform.db, accountId)}` } : {},
  )
  listeners.push(listener)
  return listener
}

test('P1.16 P6.9 a login of another user is pushed to an administrator’s open log', async () => {
  const hub = await listen('/hub/admin', admin)
  const monitor = await listen('/hub/admin', await anAccount(platform.db, { role: 'Monitor' }))
  await vi.waitFor(() => expect(platform.live.count({ hub: '/hub/admin' })).toBe(1), 5000)
  await platform.anyone.post('/api/account/login', { userName: 'stranger', password: 'wrong!' })
  const { argument } = await hub.until('ReceivedLog', ({ msg }) => msg.startsWith('Login failed'))
  // Text typed by a visitor is in the message, never in the actor's name.
  expect(argument).toMatchObject({ level: 'Warning', status: 'Failed', name: 'Anonymous', ip: '127.0.0.1' })
  expect(argument.msg).toContain('"stranger"')
  expect(monitor.received).toEqual([])
})

test('P7.35 P7.96 changed settings are sent to every open page, inside a game or not', async () => {
  const hub = await listen('/hub/site')
  const caller = await platform.as(admin)
  await caller.put('/api/admin/config', { globalConfig: { slogan: 'Told' } })
  expect((await hub.until('VexilSettings')).argument).toEqual({ at: expect.any(Number) })
  expect((await platform.anyone.get('/api/config')).body.slogan).toBe('Told')
})

test('changed settings are sent to all connected clients, and are returned from then on', async () => {
  const hub = await listen(`/hub/user?game=${await aGame(platform.db)}`)
  await inTransaction(platform.db, (tx) => saveSettings(tx, { 'GlobalConfig:Title': 'Renamed' }))
  const { argument } = await hub.until('VexilSettings')
  expect(argument).toEqual({ at: expect.any(Number) })
  expect((await platform.anyone.get('/api/config')).body.title).toBe('Renamed')
})
