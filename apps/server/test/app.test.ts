import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { pathMax } from '../src/http/path.ts'
import { anAccount } from './builders/game.ts'
import { freshDatabase } from './database.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())

test('healthz responds when requests can be served', async () => {
  // On a busy machine a poll of the database may take longer than a second.
  await vi.waitFor(async () => {
    const { status, body } = await platform.anyone.get('/healthz')
    expect({ status, body }).toEqual({ status: 200, body: 'Healthy' })
  }, 30_000)
})

test('the printed log has the configured level', () => {
  expect(platform.app.log.level).toBe('error')
})

test('during a shutdown every answer closes its connection', async () => {
  const closing = await startTestPlatform()
  const closed = closing.close()
  const { body, headers } = await closing.anyone.get('/healthz')
  expect([body, headers.connection]).toEqual([expect.stringMatching(/^(Healthy|Unhealthy)$/), 'close'])
  await closed
  await closing.database.drop()
  rmSync(closing.dataDir, { recursive: true, force: true })
})

test('an unknown path below /api returns 404 in the caller’s language', async () => {
  const { status, body } = await platform.anyone.get('/api/nowhere', { 'accept-language': 'ja-JP' })
  expect(status).toBe(404)
  expect(body).toMatchObject({ title: 'この URL には何もありません', status: 404, code: 'request.not_found' })
})

test('an unsupported method returns 405 with the supported ones; an unknown path returns 404', async () => {
  const { inject } = platform.app
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'PATCH', url: string) => {
    const { statusCode, headers } = await inject({ method, url })
    return [statusCode, headers.allow ?? null]
  }
  expect(await ask('POST', '/api/config')).toEqual([405, 'GET, HEAD'])
  expect(await ask('GET', '/API/Account/Login/')).toEqual([405, 'POST'])
  expect(await ask('PATCH', '/api/edit/games/1')).toEqual([405, 'DELETE, GET, HEAD, PUT'])
  expect(await ask('OPTIONS', '/api/game/1/details?x=/api/config')).toEqual([405, 'GET, HEAD'])
  expect(await ask('POST', '/games/1')).toEqual([405, 'GET, HEAD'])
  for (const method of ['GET', 'POST', 'DELETE'] as const) expect(await ask(method, '/api/nowhere')).toEqual([404, null])
  expect(await ask('GET', '/api/config')).toEqual([200, null])
})

test('a path of 2,048 characters is accepted, a longer one is not; the query does not count', async () => {
  const ask = async (length: number, query = '') => {
    const { status, error } = await platform.anyone.get(`/api/${'a'.repeat(length - 5)}${query}`)
    return [status, error.code]
  }
  expect(pathMax).toBe(2048)
  expect(await ask(2048)).toEqual([404, 'request.not_found'])
  expect(await ask(2048, `?a=${'a'.repeat(3000)}`)).toEqual([404, 'request.not_found'])
  expect(await ask(2049)).toEqual([414, 'request.address_too_long'])
})

test('a malformed path, and a part of more than 512 characters, is refused in the caller’s language with the headers of every answer', async () => {
  for (const [part, http, code, title] of [
    ['%zz', 400, 'request.malformed', '无法解析请求内容'],
    ['a'.repeat(513), 414, 'request.address_too_long', '请求地址过长'],
  ] as const) {
    const answer = await platform.app.inject({ url: `/api/posts/${part}`, headers: { 'accept-language': 'zh' } })
    const { headers } = answer
    expect(answer.statusCode).toBe(http)
    expect(answer.json()).toEqual({ title, status: http, code, data: null, requestId: headers['x-request-id'] })
    expect(headers).toMatchObject({ 'content-language': 'zh-CN', 'x-content-type-options': 'nosniff' })
  }
})

test('every response forbids framing and type sniffing and sends no referrer; HTTPS is enforced when PUBLIC_URL uses it', async () => {
  const secure = await startTestPlatform({ PUBLIC_URL: 'https://ctf.example.org' })
  const kept = {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'permissions-policy': [
      'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=()',
      'midi=(), payment=(), serial=(), usb=()',
    ].join(', '),
    'cross-origin-opener-policy': 'same-origin',
  }
  const ours = { 'cross-origin-resource-policy': 'same-origin' }
  try {
    for (const path of [
      '/healthz',
      '/%zz',
      '/api/config',
      '/api/account/profile',
      '/api/nowhere',
      '/api/posts',
      '/games',
      '/a.js',
    ]) {
      const [plain, encrypted] = [await platform.anyone.get(path), await secure.anyone.get(path)]
      expect(plain.headers, path).toMatchObject({ ...kept, ...ours })
      expect(encrypted.headers, path).toMatchObject({ ...kept, 'strict-transport-security': 'max-age=31536000' })
      expect(plain.headers, path).not.toHaveProperty('strict-transport-security')
    }
    // Pictures may be shown on other sites.
    for (const folder of ['assets', 'Assets']) {
      const { headers } = await platform.anyone.get(`/${folder}/${'0'.repeat(64)}/poster.webp`)
      expect(headers).toMatchObject(kept)
      expect(headers, folder).not.toHaveProperty('cross-origin-resource-policy')
    }
  } finally {
    await secure.stop()
  }
})

test('an unavailable mail server and a captcha without a secret cause warnings at the start, and the platform serves', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await once(closed, 'listening')
  const { port } = closed.address() as { port: number }
  closed.close()
  const database = await freshDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-outside-'))
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'silent',
    VEXIL_MAIL_HOST: '127.0.0.1',
    VEXIL_MAIL_PORT: '9',
    VEXIL_MAIL_SENDER: 'ctf@example.org',
    VEXIL_CAPTCHA_PROVIDER: 'GoogleRecaptcha',
    VEXIL_CAPTCHA_SITE_KEY: 'key',
  })
  const app = await startApp({ config, database, printLine: () => undefined })
  try {
    expect((await fetch(`${app.address}/healthz`)).status).toBe(200)
    await vi.waitFor(async () => {
      await app.deps.log.flush()
      const logs = await database.db
        .selectFrom('logs')
        .selectAll()
        .where('level', '=', 'Warning')
        .where('message', 'not like', '% did not run for %')
        .execute()
      expect(logs.map(({ message }) => message).sort()).toEqual([
        expect.stringMatching(/^The mail server does not accept emails: .*ECONNREFUSED/),
        'VEXIL_CAPTCHA_SECRET is not set: the captcha is not checked',
      ])
    }, 10_000)
  } finally {
    await app.close()
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('a start that fails closes what it opened: no connection to the database remains', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const database = await freshDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'vexil-taken-'))
  const { port } = other.address() as { port: number }
  const config = readConfig({ DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'silent' })
  const named = async () =>
    (
      await database.pool.query(
        "select from pg_stat_activity where datname = current_database() and application_name like 'vexil _%'",
      )
    ).rowCount
  try {
    await expect(startApp({ config, database, printLine: () => undefined })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await vi.waitFor(async () => expect(await named()).toBe(0), 5000)
  } finally {
    other.close()
    await database.drop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('while requests hold all connections of the pool, the node stays healthy and serves from memory', async () => {
  const { pool } = platform.database
  await anAccount(platform.db, { role: 'Admin' })
  await platform.anyone.get('/api/captcha')
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
  try {
    // Longer than an answer to the poll of the versions may take.
    await sleep(1_500)
    const paths = ['/healthz', '/api/captcha']
    const statuses = () => Promise.all(paths.map(async (path) => (await platform.anyone.get(path)).status))
    await expect.poll(statuses, { timeout: 30_000 }).toEqual([200, 200])
  } finally {
    for (const client of clients) client.release()
  }
})
