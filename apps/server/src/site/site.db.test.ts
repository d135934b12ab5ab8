import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { anAccount } from '../../test/builders/game.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Live } from '../http/live.ts'
import { makeWelcomePost } from './posts.queries.ts'
import { type SettingValues, saveSettings, settingDefaults } from './settings.ts'
import { siteLive } from './site.live.ts'

let platform: TestPlatform
let author: string
beforeAll(async () => {
  platform = await startTestPlatform()
  await anAccount(platform.db, { role: 'Admin' })
  author = await anAccount(platform.db, { userName: 'Author', avatarHash: null })
})
afterAll(() => platform.stop())

const settings = async (changes: Partial<SettingValues>) => {
  await inTransaction(platform.db, (tx) => saveSettings(tx, changes))
  await platform.deps.settings.reload()
}

describe('client config', () => {
  beforeEach(() => settings(settingDefaults))

  test('P3.47 P7.96 P9.4 has the product’s fields and defaults, nulls included', async () => {
    const { status, body } = await platform.anyone.get('/api/config')
    expect(status).toBe(200)
    expect(body).toEqual({
      title: 'GZ',
      slogan: expect.any(String),
      footerInfo: null,
      customTheme: null,
      logoUrl: null,
      defaultLifetime: 120,
      extensionDuration: 120,
      renewalWindow: 10,
      allowRegister: true,
      watermark: false,
      autoDestroyOnLimitReached: false,
      destroyOnSolve: false,
      containers: 'None',
      instanceHosts: null,
      setupRequired: false,
      isDemo: false,
    })
  })

  test('P3.47 P7.96 follows the settings', async () => {
    const hash = 'a'.repeat(64)
    await settings({ 'GlobalConfig:Title': 'Mine', 'GlobalConfig:LogoHash': hash, 'AccountPolicy:AllowRegister': false })
    const { body, headers } = await platform.anyone.get('/API/Config/', { 'accept-language': 'zh' })
    expect(headers['content-language']).toBe('zh-CN')
    expect(body).toMatchObject({ title: 'Mine', logoUrl: `/assets/${hash}/logo`, allowRegister: false })
  })

  test('P3.47 P7.96 a request with its ETag gets 304 until it changes', async () => {
    const first = await platform.anyone.get('/api/config')
    const etag = String(first.headers.etag)
    expect(etag).toMatch(/^W\/"/)
    const known = await platform.anyone.get('/api/config', { 'if-none-match': etag })
    expect([known.status, known.body]).toEqual([304, ''])
    await settings({ 'GlobalConfig:Slogan': 'another' })
    expect((await platform.anyone.get('/api/config', { 'if-none-match': etag })).status).toBe(200)
  })

  test('without a provider there is no captcha, regardless of the policy', async () => {
    await settings({ 'AccountPolicy:UseCaptcha': true })
    expect((await platform.anyone.get('/api/captcha')).body).toEqual({ type: 'None', siteKey: '' })
  })
})

describe('posts', () => {
  const day = (n: number) => new Date(Date.UTC(2024, 0, n))
  beforeAll(async () => {
    await platform.db
      .insertInto('posts')
      .values([
        ...Array.from({ length: 25 }, (_, i) => ({ id: `post00${10 + i}`, title: `Post ${i}`, updatedAt: day(i + 1) })),
        {
          id: 'pinned01',
          title: 'Pinned',
          summary: 's',
          content: 'c',
          tags: ['a'],
          pinned: true,
          authorId: author,
          updatedAt: day(1),
        },
      ])
      .execute()
  })

  test('P7.97 P7.98 P3.37 are all listed, pinned first, then newest; the latest are twenty', async () => {
    const { body } = await platform.anyone.get('/api/posts')
    expect(body).toHaveLength(26)
    expect(body.slice(0, 3).map((post: { title: string }) => post.title)).toEqual(['Pinned', 'Post 24', 'Post 23'])
    expect((await platform.anyone.get('/api/posts/latest')).body).toEqual(body.slice(0, 20))
    expect(body[0]).toEqual({
      id: 'pinned01',
      title: 'Pinned',
      summary: 's',
      isPinned: true,
      tags: ['a'],
      authorAvatar: null,
      authorName: 'Author',
      time: '2024-01-01T00:00:00+00:00',
    })
  })

  test('P7.97 of the same instant are sorted by id', async () => {
    const updatedAt = day(30)
    const same = ['c', 'a', 'b'].map((letter) => ({ id: letter.repeat(8), title: letter, updatedAt }))
    await platform.db.insertInto('posts').values(same).execute()
    const listed = (await platform.anyone.get('/api/posts')).body.map(({ title }: { title: string }) => title)
    expect(listed.slice(0, 4)).toEqual(['Pinned', 'a', 'b', 'c'])
    await platform.db.deleteFrom('posts').where('updatedAt', '=', updatedAt).execute()
  })

  test('P7.99 a single post has its content; an id is compared exactly', async () => {
    expect((await platform.anyone.get('/api/posts/pinned01')).body).toMatchObject({ title: 'Pinned', content: 'c' })
    expect((await platform.anyone.get('/api/posts/PINNED01')).error).toMatchObject({ status: 404, code: 'post.not_found' })
  })
})

describe('log', () => {
  test('entries are sent to administrators when written, and without listeners nothing is read', async () => {
    const sent: unknown[] = []
    const listening = vi.fn(() => 0)
    const send: Live['send'] = (to, target, message) => void sent.push([to, target, message])
    siteLive(platform.deps, { ...platform.live, send, count: listening })
    const write = async (message: string) => {
      platform.deps.log.write({ status: 'Success', name: 'System', message })
      await platform.deps.log.flush()
      await vi.waitFor(() => expect(listening).toHaveBeenCalled(), 5000)
      listening.mockClear()
    }
    await write('unheard')
    listening.mockReturnValue(1)
    await write('heard')
    await vi.waitFor(() => expect(sent).toHaveLength(1), 5000)
    const message = {
      time: expect.stringMatching(/^\d{4}-.*\+00:00$/),
      name: 'System',
      level: 'Information',
      ip: '',
      msg: 'heard',
      status: 'Success',
      requestId: null,
    }
    expect(sent[0]).toEqual([{ hub: '/hub/admin' }, 'ReceivedLog', message])
  })
})

test('the welcome post is created only at the very first start', async () => {
  const fresh = await startTestPlatform()
  try {
    await Promise.all([makeWelcomePost(fresh.db), makeWelcomePost(fresh.db)])
    const rows = await fresh.db.selectFrom('posts').selectAll().execute()
    expect(rows).toMatchObject([{ title: 'Welcome', authorId: null, id: expect.stringMatching(/^[0-9a-f]{8}$/) }])
    await anAccount(fresh.db)
    await fresh.db.deleteFrom('posts').execute()
    await makeWelcomePost(fresh.db)
    expect(await fresh.db.selectFrom('posts').select('id').execute()).toEqual([])
  } finally {
    await fresh.stop()
  }
})
