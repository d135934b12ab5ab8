/** The language of answers, tested through the calls: every room, every kind of refusal, and answers with a text. */
import type { ErrorCode } from '@vexil/contract/errors'
import { fill, messagesOf } from '@vexil/contract/messages/messages'
import type { Language } from '@vexil/core/vocabulary'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aScene, type Person, type Scene, scenePassword } from './builders/scene.ts'
import { type Answer, startTestPlatform, type TestPlatform } from './platform.ts'

let platform: TestPlatform
let scene: Scene
beforeAll(async () => {
  platform = await startTestPlatform()
  scene = await aScene(platform)
})
afterAll(() => platform.stop())

interface Wish {
  readonly header?: string
  readonly query?: string
}

const wishes: readonly [string, Wish, Language][] = [
  ['Accept-Language zh-CN', { header: 'zh-CN' }, 'zh_CN'],
  ['Accept-Language zh_CN', { header: 'zh_CN' }, 'zh_CN'],
  ['Accept-Language zh-TW;q=0.9,en;q=0.1', { header: 'zh-TW;q=0.9,en;q=0.1' }, 'zh_CN'],
  ['Accept-Language en;q=0.1, JA-jp;q=0.9', { header: 'en;q=0.1, JA-jp;q=0.9' }, 'ja_JP'],
  ['Accept-Language ja', { header: 'ja' }, 'ja_JP'],
  ['Accept-Language ja-JP', { header: 'ja-JP' }, 'ja_JP'],
  ['Accept-Language xx', { header: 'xx' }, 'en_US'],
  ['Accept-Language ja;q=0', { header: 'ja;q=0' }, 'en_US'],
  ['nothing', {}, 'en_US'],
  ['culture=ja-JP', { query: 'culture=ja-JP' }, 'ja_JP'],
  ['culture=ja-JP and Accept-Language zh-CN', { query: 'culture=ja-JP', header: 'zh-CN' }, 'ja_JP'],
  ['ui-culture=zh_CN', { query: 'ui-culture=zh_CN' }, 'zh_CN'],
  ['culture=xx and Accept-Language zh-CN', { query: 'culture=xx', header: 'zh-CN' }, 'zh_CN'],
  ['culture twice and Accept-Language ja', { query: 'culture=zh-CN&culture=en', header: 'ja' }, 'ja_JP'],
]

const headersOf = ({ header }: Wish): Record<string, string> => (header === undefined ? {} : { 'accept-language': header })
const addressOf = (url: string, { query }: Wish) => (query === undefined ? url : `${url}?${query}`)

/** Expects the refusal with this code, in this language, with the language in a header. */
function expectRefusal({ error, headers }: Answer, code: ErrorCode, language: Language): void {
  const title = fill(messagesOf[language].errors[code], (error.data ?? undefined) as object | undefined)
  expect(error).toMatchObject({ code, title })
  expect(headers['content-language']).toBe(language.replace('_', '-'))
}

interface Refusal {
  readonly who?: Person
  readonly method?: 'get' | 'post' | 'put' | 'delete'
  readonly url: (scene: Scene) => string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

async function ask({ who = 'anonymous', method = 'get', url, body, headers }: Refusal, wish: Wish): Promise<Answer> {
  const caller = await scene.as(who)
  const address = addressOf(url(scene), wish)
  const sent = { ...headers, ...headersOf(wish) }
  return method === 'get' || method === 'delete' ? caller[method](address, sent) : caller[method](address, body, sent)
}

const nowhere = 2_000_000_000
const ofRooms: readonly [string, ErrorCode, Refusal][] = [
  ['http', 'request.not_found', { url: () => '/api/nowhere' }],
  [
    'accounts',
    'account.credentials_wrong',
    { method: 'post', url: () => '/api/account/login', body: { userName: 'nobody', password: 'nothing' } },
  ],
  [
    'accounts, with a value in the text',
    'account.name_invalid',
    {
      method: 'post',
      url: () => '/api/account/register',
      body: { userName: 'ab', password: scenePassword, email: 'ab@example.org' },
    },
  ],
  ['site', 'post.not_found', { url: () => '/api/posts/ffffffff' }],
  ['files', 'file.not_found', { who: 'admin', method: 'delete', url: () => `/api/assets/${'0'.repeat(64)}` }],
  ['teams', 'team.not_found', { who: 'outsider', url: () => `/api/team/${nowhere}` }],
  ['games', 'game.not_found', { url: () => `/api/game/${nowhere}` }],
  ['challenges', 'challenge.not_found', { who: 'admin', url: ({ game }) => `/api/edit/games/${game}/challenges/${nowhere}` }],
  [
    'instances',
    'container.unavailable',
    {
      who: 'accepted',
      method: 'post',
      url: ({ game, containerChallenge }) => `/api/game/${game}/container/${containerChallenge}`,
    },
  ],
  [
    'submissions',
    'submission.not_found',
    { who: 'accepted', url: ({ game, challenge }) => `/api/game/${game}/challenges/${challenge}/status/${nowhere}` },
  ],
  ['scoreboard', 'game.not_found', { url: () => `/api/game/${nowhere}/scoreboard` }],
]

describe.each(ofRooms)('a refusal of %s', (_room, code, refusal) => {
  test.each(wishes)('P7.2 P1.23 %s', async (_name, wish, language) => {
    expectRefusal(await ask(refusal, wish), code, language)
  })
})

const ofTheDoor: readonly [number, ErrorCode, Refusal][] = [
  [401, 'auth.required', { url: () => '/api/account/profile' }],
  [403, 'auth.forbidden', { who: 'outsider', url: () => '/api/admin/logs' }],
  [
    403,
    'request.foreign_origin',
    { method: 'post', url: () => '/api/account/logout', headers: { origin: 'https://evil.example' } },
  ],
  [404, 'request.not_found', { who: 'accepted', url: () => '/api/game/zero/details' }],
  [413, 'request.too_large', { method: 'post', url: () => '/api/account/login', body: { userName: 'x'.repeat(300_000) } }],
  [
    415,
    'request.wrong_type',
    { method: 'post', url: () => '/api/account/login', body: 'x', headers: { 'content-type': 'text/xml' } },
  ],
]

describe.each(ofTheDoor)('%i %s', (status, code, refusal) => {
  test.each(wishes)('P7.2 P1.23 %s', async (_name, wish, language) => {
    const answer = await ask(refusal, wish)
    expect(answer.status).toBe(status)
    expectRefusal(answer, code, language)
  })
})

test('P7.2 an unreadable body is refused in the language of the caller', async () => {
  const headers = { 'content-type': 'application/json', 'accept-language': 'ja' }
  const answer = await platform.app.inject({ method: 'POST', url: '/api/account/login', payload: '{', headers })
  expect(answer.json()).toMatchObject({ code: 'request.malformed', title: messagesOf.ja_JP.errors['request.malformed'] })
  expect(answer.headers['content-language']).toBe('ja-JP')
})

test('P7.2 a field error is reported in the language of the caller', async () => {
  const titles = await Promise.all(
    (['en-US', 'zh-CN', 'ja-JP'] as const).map(async (language) => {
      const body = { userName: 'somebody', password: '' }
      return (await platform.anyone.post('/api/account/login', body, { 'accept-language': language })).error.title
    }),
  )
  expect(titles).toEqual(['password: is required', 'password：不能为空', 'password を入力してください'])
})

test('P8.24 P7.2 an exceeded limit (429) is reported in the language of the caller', async () => {
  const limited = await startTestPlatform({ DISABLE_RATE_LIMIT: 'false' })
  try {
    await aScene(limited)
    const login = (headers: Record<string, string>, query = '') =>
      limited.anyone.post(`/api/account/login${query}`, { userName: 'nobody', password: 'nothing' }, headers)
    let tries = 0
    while ((await login({})).status !== 429) expect(++tries).toBeLessThan(1000)
    for (const [, wish, language] of wishes) {
      const answer = await login(headersOf(wish), wish.query && `?${wish.query}`)
      expect(answer.status).toBe(429)
      expectRefusal(answer, 'request.too_many', language)
      expect(answer.error.title).toMatch(/\d/)
    }
  } finally {
    await limited.stop()
  }
})

let count = 0

test.each(wishes)('P7.2 P1.23 a response with a message: %s', async (_name, wish, language) => {
  const userName = `tongue${++count}`
  const body = { userName, password: scenePassword, email: `${userName}@example.org` }
  const registered = await platform.anyone.post(addressOf('/api/account/register', wish), body, headersOf(wish))
  expect(registered.status).toBe(200)
  const { confirmations } = messagesOf[language]
  expect([confirmations.registered, confirmations.awaitsAdmin]).toContain(registered.body.title)
  expect(registered.headers['content-language']).toBe(language.replace('_', '-'))
})

test('responses in the caller’s language vary by Accept-Language, others do not', async () => {
  const admin = await scene.as('admin')
  const refusal = await platform.anyone.get('/api/game/2000000000')
  const sheet = await admin.get(`/api/game/${scene.game}/scoreboardsheet`)
  const data = await platform.anyone.get('/api/config')
  for (const { headers } of [refusal, sheet]) expect(headers.vary).toMatch(/(^|, )Accept-Language(,|$)/)
  expect([refusal.status, sheet.status, data.status]).toEqual([404, 200, 200])
  expect(data.headers.vary ?? '').not.toContain('Accept-Language')
  const mail = await platform.anyone.post('/api/account/recovery', { email: 'somebody@example.org' })
  expect(mail.headers.vary).toMatch(/(^|, )Accept-Language(,|$)/)
})
