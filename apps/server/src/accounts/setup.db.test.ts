import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { inTransaction } from '../db/transaction.ts'
import { hashQueue } from './passwords.ts'
import { setUp, type WithDemo } from './set-up.ts'
import { openSetup } from './setup-token.ts'

const place = { ip: '', network: '' }
let platform: TestPlatform
beforeEach(async () => {
  platform = await startTestPlatform()
})
afterEach(() => platform.stop())

const link = async () => new URL((await openSetup(platform.deps)) as string)
const token = async () => (await link()).searchParams.get('token') as string
const form = (setupToken: string) => ({
  token: setupToken,
  userName: 'Boss',
  password: 'aaaaaa',
  email: 'boss@example.org',
  title: 'Mine',
  slogan: 'Raise it',
  customTheme: '#12AbEf',
})
const admins = () => platform.db.selectFrom('accounts').selectAll().where('role', '=', 'Admin').execute()
const logged = async () => {
  await platform.deps.log.flush()
  return platform.db.selectFrom('logs').selectAll().orderBy('id').execute()
}
const file = () => join(platform.dataDir, 'setup-link')

describe('the set-up link', () => {
  test('is created at the start, kept in a file only the owner can read, and replaced at the next start', async () => {
    const first = await link()
    expect(first.href).toMatch(/^http:\/\/localhost:8080\/setup\?token=[\w-]{43}$/)
    expect(readFileSync(file(), 'utf8').trim()).toBe(first.href)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    const second = await link()
    expect(second.href).not.toBe(first.href)
    const old = first.searchParams.get('token') as string
    expect((await platform.anyone.post('/api/setup', form(old))).error).toMatchObject({ status: 400, code: 'setup.token_wrong' })
    expect((await platform.anyone.post('/api/setup', form(second.searchParams.get('token') as string))).status).toBe(200)
  })

  test('is not created once an administrator exists', async () => {
    await link()
    await anAccount(platform.db, { role: 'Admin' })
    expect(await openSetup(platform.deps)).toBeNull()
    expect(() => readFileSync(file())).toThrow()
  })

  test('is created while monitors and players exist, but no administrator', async () => {
    for (const role of ['Monitor', 'User', 'Banned'] as const) await anAccount(platform.db, { role })
    expect((await platform.anyone.get('/api/config')).body.setupRequired).toBe(true)
    expect((await platform.anyone.post('/api/setup', form(await token()))).status).toBe(200)
    expect(await admins()).toMatchObject([{ userName: 'Boss' }])
  })
})

describe('before set-up', () => {
  test('SESS-3 only the config, the session and the setup respond, everything else returns 503', async () => {
    expect((await platform.anyone.get('/api/config')).body.setupRequired).toBe(true)
    expect(await platform.anyone.get('/api/account/session')).toMatchObject({ status: 200, body: { user: null } })
    for (const url of ['/api/account/profile', '/api/posts', '/api/team/1']) {
      expect((await platform.anyone.get(url)).error).toMatchObject({ status: 503, code: 'site.not_set_up' })
    }
    expect((await platform.anyone.get('/healthz')).body).toMatch(/^(Healthy|Unhealthy)$/)
  })
})

describe('setting up', () => {
  test('creates the administrator, signs in, names the platform and invalidates the link', async () => {
    const setupToken = await token()
    const answer = await platform.anyone.post('/api/setup', form(setupToken), { 'x-forwarded-for': '192.0.2.7' })
    expect([answer.status, answer.body]).toEqual([200, ''])
    expect(await admins()).toMatchObject([{ active: true, lastIp: '192.0.2.7' }])
    expect(await logged()).toMatchObject([{ status: 'Success', name: 'Boss', ip: '192.0.2.7', message: 'Platform set up' }])
    const cookie = String(answer.headers['set-cookie']).split(';')[0] as string
    expect((await platform.anyone.get('/api/account/profile', { cookie })).body).toMatchObject({
      userName: 'Boss',
      role: 'Admin',
    })
    const config = (await platform.anyone.get('/api/config')).body
    expect(config).toMatchObject({ title: 'Mine', slogan: 'Raise it', customTheme: '#12AbEf', setupRequired: false })
    expect(() => readFileSync(file())).toThrow()
    expect((await platform.anyone.post('/api/setup', form(setupToken))).error).toMatchObject({
      status: 400,
      code: 'setup.already_done',
    })
  })

  test('concurrent requests create one administrator', async () => {
    const setupToken = await token()
    // Long enough for all of them to check the token before the first one finishes.
    const slowly: WithDemo = (work) => inTransaction(platform.db, (tx) => work(tx, () => sleep(500)))
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, i) => {
        const one = { ...form(setupToken), userName: `Boss${i}`, email: `boss${i}@example.org`, demo: true }
        return setUp(platform.deps, one, place, slowly)
      }),
    )
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason.code)
    expect(refused).toEqual(Array(5).fill('setup.already_done'))
    expect(await admins()).toHaveLength(1)
  })

  test('with a wrong token, password, colour or name changes nothing and keeps the link valid', async () => {
    const setupToken = await token()
    const wrong: [object, string][] = [
      [{ token: 'x'.repeat(43) }, 'setup.token_wrong'],
      [{ customTheme: 'red' }, 'site.colour_invalid'],
      [{ customTheme: '#123' }, 'site.colour_invalid'],
      [{ password: 'aaaaa' }, 'account.password_too_short'],
      [{ password: '      ' }, 'account.password_too_short'],
      [{ userName: 'ab' }, 'account.name_invalid'],
      [{ email: 'nowhere' }, 'account.email_invalid'],
    ]
    for (const [change, code] of wrong) {
      expect((await platform.anyone.post('/api/setup', { ...form(setupToken), ...change })).error).toMatchObject({
        status: 400,
        code,
      })
    }
    expect(await admins()).toEqual([])
    expect((await platform.anyone.post('/api/setup', { ...form(setupToken), customTheme: null })).status).toBe(200)
  })

  test('a wrong token causes no password hashing', async () => {
    await link()
    const run = vi.spyOn(hashQueue, 'run')
    try {
      expect((await platform.anyone.post('/api/setup', form('x'.repeat(43)))).error.code).toBe('setup.token_wrong')
      expect(run).not.toHaveBeenCalled()
    } finally {
      run.mockRestore()
    }
  })

  test('a link replaced by another start during hashing creates no account', async () => {
    const setupToken = await token()
    const run = vi.spyOn(hashQueue, 'run').mockImplementationOnce(async () => {
      await openSetup(platform.deps)
      return 'hash' as never
    })
    try {
      expect((await platform.anyone.post('/api/setup', form(setupToken))).error).toMatchObject({
        status: 400,
        code: 'setup.token_wrong',
      })
    } finally {
      run.mockRestore()
    }
    expect(await admins()).toEqual([])
  })

  test('a remaining link creates no second administrator', async () => {
    const setupToken = await token()
    await anAccount(platform.db, { role: 'Admin', userName: 'First' })
    expect((await platform.anyone.post('/api/setup', form(setupToken))).error).toMatchObject({
      status: 400,
      code: 'setup.already_done',
    })
    expect(await admins()).toMatchObject([{ userName: 'First' }])
  })

  test('the demo game is created completely or not at all', async () => {
    const setupToken = await token()
    let made = 0
    const fails: WithDemo = (work) => inTransaction(platform.db, (tx) => work(tx, () => Promise.reject(new Error('no demo'))))
    await expect(setUp(platform.deps, { ...form(setupToken), demo: true }, place, fails)).rejects.toThrow('no demo')
    expect(await admins()).toEqual([])
    const makes: WithDemo = (work) => inTransaction(platform.db, (tx) => work(tx, async () => made++))
    await setUp(platform.deps, { ...form(setupToken), demo: true }, place, makes)
    expect([made, (await admins()).length]).toEqual([1, 1])
  })

  test('without the demo no game is created; the new name applies on this node at once and is published to others', async () => {
    const setupToken = await token()
    const received: string[] = []
    // Listeners read the settings at once.
    const publish = (event: string) => void received.push(`${event} ${platform.deps.settings.get()['GlobalConfig:Title']}`)
    const bus = { ...platform.deps.bus, publish }
    const never: WithDemo = () => Promise.reject(new Error('asked for a demo'))
    await setUp({ ...platform.deps, bus }, form(setupToken), place, never)
    expect(received).toEqual(['settings.changed Mine'])
  })
})

describe('ADMIN_PASSWORD', () => {
  const withPassword = (adminPassword: string, adminEmail: string | null = null) =>
    openSetup({ ...platform.deps, config: { ...platform.deps.config, adminPassword, adminEmail } })

  test('creates the account Admin at the first start, also on concurrent nodes, and is ignored later', async () => {
    expect(await Promise.all([withPassword('first!'), withPassword('first!')])).toEqual([null, null])
    await withPassword('second')
    expect(await admins()).toMatchObject([{ userName: 'Admin', email: 'admin@localhost.localdomain', active: true }])
    const login = (password: string) => platform.anyone.post('/api/account/login', { userName: 'admin', password })
    expect((await login('first!')).status).toBe(200)
    expect((await login('second')).status).toBe(401)
    const made = (await logged()).filter(({ message }) => message.startsWith('Account Admin created'))
    expect(made).toMatchObject([{ status: 'Success', name: 'System' }])
  })

  test('takes the address of ADMIN_EMAIL, and the start fails when the name is taken', async () => {
    await anAccount(platform.db, { userName: 'admin' })
    await expect(withPassword('secret', 'a@b.org')).rejects.toThrow(/^ADMIN_PASSWORD is set, but the name Admin/)
    expect(await logged()).toEqual([])
    await platform.db.deleteFrom('accounts').execute()
    await withPassword('secret', 'a@b.org')
    expect(await admins()).toMatchObject([{ email: 'a@b.org', lastIp: '0.0.0.0' }])
    expect(await logged()).toMatchObject([
      { status: 'Success', message: 'Account Admin created; ADMIN_PASSWORD can be removed from the environment' },
    ])
  })

  test('waits for another node that is creating an administrator', async () => {
    const starting = await inTransaction(platform.db, async (tx) => {
      await sql`select from installation for update`.execute(tx)
      const begun = withPassword('secret')
      await vi.waitFor(async () => {
        const { rows } =
          await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
            platform.db,
          )
        expect(rows).toHaveLength(1)
      }, 5000)
      await anAccount(tx, { role: 'Admin', userName: 'First' })
      return { begun }
    })
    expect(await starting.begun).toBeNull()
    expect(await admins()).toMatchObject([{ userName: 'First' }])
  })

  test('a value the database rejects is reported with the database error', async () => {
    await sql`alter table accounts add constraint no_admin check (role <> 'Admin')`.execute(platform.db)
    await expect(withPassword('secret')).rejects.toThrow('no_admin')
  })
})
