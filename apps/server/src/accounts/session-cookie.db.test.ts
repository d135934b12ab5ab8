import { afterEach, expect, test } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { hashPassword } from './passwords.ts'

let platform: TestPlatform
afterEach(() => platform.stop())

/** Starts a platform with these settings; returns a function that signs in the account Ann. */
async function start(env: Record<string, string>) {
  platform = await startTestPlatform(env)
  await anAccount(platform.db, { role: 'Admin' })
  await anAccount(platform.db, { userName: 'Ann', passwordHash: await hashPassword('aaaaaa', 'test') })
  return async (headers: Record<string, string> = {}) => {
    const answer = await platform.anyone.post('/api/account/login', { userName: 'Ann', password: 'aaaaaa' }, headers)
    expect(answer.status).toBe(200)
    return answer.headers['set-cookie'] as string[]
  }
}

test('the cookie is named by VEXIL_SESSION_COOKIE everywhere', async () => {
  const signIn = await start({ VEXIL_SESSION_COOKIE: 'GZCTF_Token' })
  const [session, device] = await signIn()
  expect(session).toMatch(/^GZCTF_Token=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(device).toMatch(/^vexil_device=/)
  const token = session!.split(/[=;]/)[1]
  const profile = (cookie: string) => platform.anyone.get('/api/account/profile', { cookie })
  expect((await profile(`GZCTF_Token=${token}`)).body.userName).toBe('Ann')
  expect((await profile(`vexil_session=${token}`)).status).toBe(401)
  const changed = await platform.anyone.put(
    '/api/account/changepassword',
    { old: 'aaaaaa', new: 'aaaaaa' },
    { cookie: `GZCTF_Token=${token}` },
  )
  expect((changed.headers['set-cookie'] as string[])[0]).toMatch(/^GZCTF_Token=/)
  const out = await platform.anyone.post('/api/account/logout', undefined, { cookie: `GZCTF_Token=${token}` })
  expect(String(out.headers['set-cookie'])).toMatch(
    /^GZCTF_Token=; Max-Age=0; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; SameSite=Lax$/,
  )
  const { body } = await platform.anyone.get('/api/openapi.json')
  expect(body.components.securitySchemes.session.name).toBe('GZCTF_Token')
})

test('it is Secure over HTTPS, and for the host of an https PUBLIC_URL even if the proxy does not report HTTPS', async () => {
  const signIn = await start({ PUBLIC_URL: 'https://ctf.example.org', TRUSTED_PROXIES: '10.0.0.1' })
  const secure = async (headers: Record<string, string>) => (await signIn(headers)).map((cookie) => /; Secure(;|$)/.test(cookie))
  expect(await secure({ host: 'ctf.example.org' })).toEqual([true, true])
  expect(await secure({ host: 'CTF.example.org:443' })).toEqual([true, true])
  // At an address in the local network a browser would never send a Secure cookie back.
  expect(await secure({ host: '192.168.1.5:8080' })).toEqual([false, false])
  expect(await secure({ host: 'ctf.example.org:8080' })).toEqual([false, false])
  // Headers of untrusted peers are ignored.
  expect(await secure({ host: '192.168.1.5:8080', 'x-forwarded-proto': 'https' })).toEqual([false, false])
})

test('it is Secure when a trusted proxy reports HTTPS, and not for an http PUBLIC_URL', async () => {
  const signIn = await start({ PUBLIC_URL: 'http://ctf.example.org' })
  const secure = async (headers: Record<string, string>) => (await signIn(headers)).map((cookie) => /; Secure(;|$)/.test(cookie))
  expect(await secure({ host: 'ctf.example.org', 'x-forwarded-proto': 'https' })).toEqual([true, true])
  expect(await secure({ host: 'ctf.example.org' })).toEqual([false, false])
})

test('refusals are not cacheable', async () => {
  await start({})
  for (const path of ['/api/account/profile', '/api/game/1', '/api/nothing', '/assets/none', `/assets/${'0'.repeat(64)}/a`]) {
    const { status, headers } = await platform.anyone.get(path)
    expect(status, path).toBeGreaterThanOrEqual(400)
    expect(headers['cache-control'], path).toBe('no-store')
  }
})
