import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fastify } from 'fastify'
import { afterAll, expect, test } from 'vitest'
import type { Gate } from './gate.ts'
import { openLimiter } from './rate-limit.ts'
import { webRoutes } from './static-web.ts'
import { openUploadSlots } from './upload-watch.ts'

const folder = mkdtempSync(join(tmpdir(), 'vexil-web-'))
writeFileSync(
  join(folder, 'index.html'),
  '<html data-demo="%VEXIL_DEMO%"><title>%VEXIL_TITLE%</title><p>%VEXIL_NAME%</p><q>%VEXIL_DESCRIPTION%</q><i id="nonce" data-nonce="%VEXIL_NONCE%"></i><script src="/a.js"></script>',
)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function page(origins: readonly string[], isDemo = false) {
  const app = fastify()
  await webRoutes(
    { app, gate: {} as Gate, limiter: openLimiter(true), uploads: openUploadSlots() },
    {
      folder,
      origins: () => origins,
      head: async () => ({ name: '<b>$& Cup', title: '<Cup>', description: '"$& <more>' }),
      isDemo,
    },
  )
  const { headers, payload, statusCode } = await app.inject('/account/Login')
  expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/html; charset=utf-8', 'no-cache'])
  await app.close()
  const policy: Record<string, string[]> = Object.fromEntries(
    String(headers['content-security-policy'])
      .split('; ')
      .map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1)]),
  )
  return { policy, payload }
}

test('without a captcha the page loads only its own scripts, each with the nonce of the response', async () => {
  const { policy, payload } = await page([])
  const nonce = /data-nonce="([^"]+)"/.exec(payload)?.[1]
  expect(policy).toEqual({
    'default-src': ["'self'"],
    'script-src': ["'self'", `'nonce-${nonce}'`, "'strict-dynamic'"],
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ['*', 'data:', 'blob:'],
    'font-src': ["'self'", 'data:'],
    'connect-src': ["'self'"],
    'frame-src': ["'none'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'frame-ancestors': ["'none'"],
    'form-action': ["'self'"],
  })
  expect(payload).toContain(`<script nonce="${nonce}" src="/a.js">`)
  expect(payload).toContain('<title>&lt;Cup&gt;</title><p>&lt;b&gt;$&amp; Cup</p><q>&quot;$&amp; &lt;more&gt;</q>')
})

test('the nonce differs in each response', async () => {
  const nonces = await Promise.all(
    Array.from({ length: 20 }, async () => /data-nonce="([^"]+)"/.exec((await page([])).payload)?.[1]),
  )
  expect(new Set(nonces).size).toBe(20)
  for (const nonce of nonces) expect(Buffer.from(nonce ?? '', 'base64')).toHaveLength(16)
})

test('a dot in the last segment of a path means a file, one before it does not', async () => {
  const app = fastify()
  await webRoutes(
    { app, gate: {} as Gate, limiter: openLimiter(true), uploads: openUploadSlots() },
    { folder, origins: () => [], head: async () => ({ name: '', title: '', description: '' }), isDemo: false },
  )
  const status = async (path: string) => (await app.inject(path)).statusCode
  expect(await Promise.all(['/games/1.2/board', '/v1.0/', '/games?file=a.js', '/'].map(status))).toEqual([200, 200, 200, 200])
  // This bare application has no error handler, so it answers a refusal with 500.
  expect(await Promise.all(['/a.js', '/games/b.map', '/.env', '/games/x.'].map(status))).toEqual([500, 500, 500, 500])
  await app.close()
})

test('P3.42 with a captcha it can load from and connect to only the provider', async () => {
  const provider = 'https://challenges.cloudflare.com'
  const { policy, payload } = await page([provider])
  const nonce = /data-nonce="([^"]+)"/.exec(payload)?.[1]
  const { policy: without } = await page([])
  expect(policy).toEqual({
    ...without,
    'script-src': ["'self'", `'nonce-${nonce}'`, "'strict-dynamic'", provider],
    'connect-src': ["'self'", provider],
    'frame-src': [provider],
  })
})

test('a built file is sent precompressed when the client accepts it, other files unchanged', async () => {
  mkdirSync(join(folder, 'static'), { recursive: true })
  for (const [name, content] of Object.entries({ 'a.js': 'plain', 'a.js.br': 'brotli', 'a.js.gz': 'gzip', 'b.woff2': 'font' }))
    writeFileSync(join(folder, 'static', name), content)
  const app = fastify()
  await webRoutes(
    { app, gate: {} as Gate, limiter: openLimiter(true), uploads: openUploadSlots() },
    { folder, origins: () => [], head: async () => ({ name: '', title: '', description: '' }), isDemo: false },
  )
  const get = async (name: string, accepted?: string) => {
    const { payload, headers } = await app.inject({
      url: `/static/${name}`,
      headers: accepted === undefined ? {} : { 'accept-encoding': accepted },
    })
    return {
      payload,
      encoding: headers['content-encoding'],
      type: headers['content-type'],
      vary: headers.vary,
      etag: headers.etag,
      kept: headers['cache-control'],
    }
  }
  const kept = 'public, max-age=604800, immutable'
  const script = { type: 'application/javascript; charset=utf-8', vary: 'accept-encoding', kept }
  const [plain, br, gzip] = [await get('a.js'), await get('a.js', 'gzip, deflate, br, zstd'), await get('a.js', 'gzip')]
  expect(plain).toMatchObject({ payload: 'plain', encoding: undefined, ...script })
  expect(br).toMatchObject({ payload: 'brotli', encoding: 'br', ...script })
  expect(gzip).toMatchObject({ payload: 'gzip', encoding: 'gzip', ...script })
  expect(new Set([plain.etag, br.etag, gzip.etag]).size).toBe(3)
  expect(await get('b.woff2', 'gzip, br')).toMatchObject({ payload: 'font', encoding: undefined, type: 'font/woff2', kept })
  // Neither the compressed forms nor the unfilled page can be requested.
  for (const url of ['/static/a.js.br', '/static/a.js.gz', '/index.html']) expect((await app.inject(url)).statusCode).toBe(500)
  await app.close()
})

test('DEMO-1 the page itself says whether it is the one of a demo', async () => {
  expect((await page([], true)).payload).toContain('<html data-demo="true">')
  expect((await page([])).payload).toContain('<html data-demo="false">')
})
