import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())

test('P7.4 the machine-readable description is served, also before setup, and not sent again when it matches', async () => {
  const { status, body, headers } = await platform.anyone.get('/api/openapi.json')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(headers['cache-control']).toBe('no-cache')
  expect(body.openapi).toBe('3.1.0')
  expect(body.paths['/api/game/{id}/challenges/{cid}'].post.summary).toContain('Submit a flag')
  expect((await platform.anyone.get('/api/openapi.json', { 'if-none-match': String(headers.etag) })).status).toBe(304)
})

test('the readable description names every call, runs no script and loads nothing', async () => {
  const { status, body, headers } = await platform.anyone.get('/api/docs')
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  expect(body).not.toMatch(/<script|<link|javascript:|src=|url\(|@import/)
  const { body: document } = await platform.anyone.get('/api/openapi.json')
  for (const path of Object.values<Record<string, { operationId: string }>>(document.paths)) {
    for (const { operationId } of Object.values(path)) expect(body).toContain(`id="${operationId}"`)
  }
})
