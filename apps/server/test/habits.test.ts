/** Deviations of existing tools that every call accepts: mixed-case paths, names in any letter case, further members, numbers as text, empty JSON bodies. */
import type { Method } from '@vexil/contract/endpoint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessTable, type CallName } from './access.table.ts'
import { aScene, type Person, people } from './builders/scene.ts'
import { type Caller, startTestPlatform, type TestPlatform } from './platform.ts'
import { askValid, type ValidCall, validCalls } from './valid-calls.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())

/** Calls that succeed for some caller, with the first such caller. */
const good = Object.entries(accessTable).flatMap(([call, row]) => {
  const at = row.split(' ').indexOf('200')
  return at < 0 ? [] : [[call as CallName, people[at] as Person] as const]
})

async function ask(call: CallName, who: Person, change: (request: ValidCall) => ValidCall): Promise<number> {
  const scene = await aScene(platform)
  const request = change(await validCalls[call]!(scene, who))
  return (await askValid(await scene.as(who), call.split(' ')[0] as Method, request)).status
}

/** `/API/Game/1` and `/api/game/1/`: values keep their letter case. */
function loud(url: string, path: string): string {
  const [address = '', query] = url.split('?')
  const parts = path.split('/')
  const written = address.split('/').map((part, index) => (parts[index]?.startsWith(':') ? part : part.toUpperCase()))
  return `${written.join('/')}/${query === undefined ? '' : `?${query}`}`
}

/** Numbers as text. */
const asText = (value: unknown): unknown => {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.map(asText)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asText(member)]))
}
const shouted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shouted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toUpperCase(), shouted(member)]))
}
const withMore = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withMore)
  if (typeof value !== 'object' || value === null) return value
  return { ...value, id: 7, flags: [], testContainer: null, somethingNew: { a: [1] }, another: null }
}

test.each(good)('%s accepts an uppercase path with a trailing slash', async (call, who) => {
  const path = call.split(' ')[1] as string
  // The name of a file may be anything, including a slash at its end.
  const url = (old: string) => (path.endsWith(':name') ? old.replace('/assets/', '/ASSETS/') : loud(old, path))
  expect(await ask(call, who, (request) => ({ ...request, url: url(request.url) }))).toBe(200)
})

test.each(good.filter(([call]) => /^(POST|PUT|DELETE)/.test(call)))('%s accepts bodies as tools send them', async (call, who) => {
  const scene = await aScene(platform)
  const { url, body, upload } = await validCalls[call]!(scene, who)
  if (upload) return
  if (body === undefined) {
    const caller = await scene.as(who)
    const headers = { 'content-type': 'application/json' }
    const { status } = call.startsWith('DELETE')
      ? await caller.delete(url, headers)
      : await caller[call.startsWith('PUT') ? 'put' : 'post'](url, undefined, headers)
    expect(status, 'JSON content type, empty body').toBe(200)
    return
  }
  for (const change of [asText, shouted, withMore]) {
    expect(await ask(call, who, (request) => ({ ...request, body: change(request.body) })), change.name).toBe(200)
  }
})

test('objects that were read can be sent back whole, and enumerations are accepted in any form', async () => {
  const scene = await aScene(platform)
  const admin = await scene.as('admin')
  const captain = await scene.as('captain')
  const roundTrip = async (caller: Caller, read: string, write = read) => {
    const before = (await caller.get(read)).body
    expect((await caller.put(write, before)).status, read).toBe(200)
    expect((await caller.get(read)).body, read).toEqual(before)
  }
  await roundTrip(admin, `/api/edit/games/${scene.game}`)
  await roundTrip(admin, `/api/edit/games/${scene.game}/challenges/${scene.challenge}`)
  await roundTrip(admin, '/api/admin/config')
  await roundTrip(captain, `/api/team/${scene.team}`)
  await roundTrip(admin, `/api/admin/users/${scene.account.other}`)
  for (const role of ['monitor', 'MONITOR', 2, '2']) {
    await admin.put(`/api/admin/users/${scene.account.other}`, { role: 'User' })
    expect((await admin.put(`/api/admin/users/${scene.account.other}`, { role })).status, String(role)).toBe(200)
    expect((await admin.get(`/api/admin/users/${scene.account.other}`)).body.role).toBe('Monitor')
  }
  for (const status of ['suspended', '3', 'Accepted']) {
    expect((await admin.put(`/api/admin/participation/${scene.participation}/${status}`)).status, status).toBe(200)
  }
})
