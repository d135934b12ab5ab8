// Alone: it counts every call that was bound in its process.
/** Every call by every kind of caller, compared with the table; a refused call leaves every database table unchanged. */
import { endpoints, type Method } from '@vexil/contract/endpoint'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { releaseLost } from '../src/files/release-file.ts'
import { bound } from '../src/http/route.ts'
import { accessTable, type CallName } from './access.table.ts'
import { aScene, people, type Scene } from './builders/scene.ts'
import { checksum, emptyTables } from './checksum.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { askValid, validCalls } from './valid-calls.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
})
let begun = 0
beforeEach(async () => {
  if (begun++ % 10 === 0) await emptyTables(platform.db)
})
afterAll(() => platform.stop())

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

test('P7.1 P7.4 every described call is in the table and tested', () => {
  const table = Object.keys(accessTable).sort()
  expect(endpoints.map(nameOf).sort()).toEqual(table)
  expect(Object.keys(validCalls).sort()).toEqual(table)
  const elsewhere = ['/*', '/assets/:hash/:name', '/favicon.webp', '/forward.mjs', '/forward.py', '/healthz', '/healthz/ready']
  const outside = endpoints.map(({ path }) => path).filter((path) => !/^\/(api|hub)\/[a-z]/.test(path))
  expect(outside.sort()).toEqual(elsewhere)
})

test('P7.1 P7.4 every described call is bound exactly once', () => {
  expect(bound.map(nameOf).sort()).toEqual(endpoints.map(nameOf).sort())
})

/** Each call proves that roles are checked, and calls of the editors that only an administrator may make them. */
const idsOf = (call: string) => {
  if (/ \/api\/(admin|edit\/posts)/.test(call)) return 'P6.1 P6.9 P6.10'
  return call.includes(' /api/edit/') ? 'P6.1 P6.8 P6.10' : 'P6.1 P6.10'
}
const walked = Object.entries(accessTable).map(([call, row]) => [idsOf(call), call, row] as const)

test.each(walked)('%s %s', async (_ids, call, row) => {
  const [method = ''] = call.split(' ')
  const expected = row.split(' ').map(Number)
  const found: number[] = []
  let scene: Scene | null = null
  for (const person of people) {
    scene ??= await aScene(platform)
    const caller = await scene.as(person)
    const request = await validCalls[call as CallName]!(scene, person)
    // Otherwise files that an earlier call released would be removed in the background during this one.
    await releaseLost(platform.deps)
    // A call that only reads changes nothing.
    const before = method === 'GET' ? null : await checksum(platform.db)
    const { status, error } = await askValid(caller, method as Method, request)
    found.push(status)
    if (status === 401 && person === 'anonymous') expect(error).toMatchObject({ status: 401, code: 'auth.required' })
    if (status === 403 && person === 'banned') expect(error).toMatchObject({ status: 403, code: 'auth.forbidden' })
    if (status >= 400 && before) expect(await checksum(platform.db), `${person}: something changed`).toEqual(before)
    // A successful call may have removed what the next one needs.
    else if (method !== 'GET') scene = null
  }
  expect(found).toEqual(expected)
})
