import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlatform, type TestPlatform } from './platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())

test('healthz answers when requests can be served', async () => {
  const { status, body } = await platform.anyone.get('/healthz')
  expect({ status, body }).toEqual({ status: 200, body: 'Healthy' })
})

test('an unknown address below /api answers 404 in the caller’s language', async () => {
  const { status, body } = await platform.anyone.get('/api/nowhere', { 'accept-language': 'ja-JP' })
  expect(status).toBe(404)
  expect(body).toMatchObject({ title: 'このアドレスには何もありません', status: 404, code: 'request.not_found' })
})
