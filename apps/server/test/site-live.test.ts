import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startSession } from '../src/accounts/sessions.ts'
import { inTransaction } from '../src/db/transaction.ts'
import { saveSettings } from '../src/site/settings.ts'
import { aGame, anAccount } from './builders/game.ts'
import { type HubListener, listenToHub } from './hub-listener.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

let platform: TestPlatform
let address: string
let admin: string
const listeners: HubListener[] = []
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await anAccount(platform.db, { role: 'Admin' })
  address = await platform.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(async () => {
  for (const listener of listeners) listener.close()
  await platform.stop()
})

const listen = async (hub: string, accountId?: string) => {
  const cookie = accountId && `vexil_session=${await startSession(platform.db, accountId)}`
  const listener = await listenToHub(address, hub, cookie)
  listeners.push(listener)
  return listener
}

test('a login of somebody else reaches an administrator’s open log', async () => {
  const hub = await listen('/hub/admin', admin)
  const monitor = await listen('/hub/admin', await anAccount(platform.db, { role: 'Monitor' }))
  await vi.waitFor(() => expect(platform.live.count('/hub/admin', null)).toBe(1))
  await platform.anyone.post('/api/account/login', { userName: 'stranger', password: 'wrong!' })
  const entry = { level: 'Warning', status: 'Failed', name: 'stranger', msg: 'Login failed', ip: '127.0.0.1' }
  await vi.waitFor(() => expect(hub.received('ReceivedLog')).toContainEqual(expect.objectContaining(entry)), 5000)
  expect(monitor.received('ReceivedLog')).toEqual([])
})

test('changed settings are told to everybody who has the platform open, and are answered from then on', async () => {
  const hub = await listen(`/hub/user?game=${await aGame(platform.db)}`)
  await inTransaction(platform.db, (tx) => saveSettings(tx, { 'GlobalConfig:Title': 'Renamed' }))
  await vi.waitFor(() => expect(hub.received('VexilSettings')).toEqual([{ at: expect.any(Number) }]), 5000)
  expect((await platform.anyone.get('/api/config')).body.title).toBe('Renamed')
})
