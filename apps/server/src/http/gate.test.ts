/** The order of refusals at the gate, and what a refused request costs. */
import type { Endpoint, EndpointShape } from '@vexil/contract/endpoint'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { admit, type Gate, mayUse, mustStillBeAllowed, type SignedInAccount } from './gate.ts'
import { RequestError } from './request-errors.ts'
import { cookieName } from './session-cookie.ts'

const actors: Record<string, SignedInAccount> = {
  user: { id: 'u', userName: 'user', role: 'User' },
  monitor: { id: 'm', userName: 'monitor', role: 'Monitor' },
  admin: { id: 'a', userName: 'admin', role: 'Admin' },
  banned: { id: 'b', userName: 'banned', role: 'Banned' },
}

interface Situation {
  readonly token?: string
  /** Limits that are used up. */
  readonly full?: readonly string[]
  readonly setUp?: boolean
  readonly ip?: string
}

const requestOf = ({ token, ip = '203.0.113.9' }: Situation, access: string) =>
  ({
    ip,
    url: '/api/thing?secret=1',
    headers: {},
    cookies: token ? { [cookieName]: token } : {},
    isForeign: false,
    server: { sessionCookie: { name: cookieName, publicUrl: '' } },
    routeOptions: { config: { endpoint: { shape: { access } } } },
  }) as unknown as FastifyRequest

/** Sends one request through the gate. `did` lists the calls that the gate made, in order. */
async function ask(shape: Partial<EndpointShape>, situation: Situation = {}) {
  const { full = [], setUp = true } = situation
  const did: string[] = []
  const count = (name: string, key: string) => {
    did.push(`${name} ${key}`)
    if (full.includes(name)) throw new RequestError('request.too_many', { retryAfter: 1 })
  }
  const gate = {
    findActor: async (token: string) => {
      did.push('session')
      const actor = actors[token]
      return actor ? { actor, isOld: false } : null
    },
    renew: async () => undefined,
    sessionOf: (token: string) => `hash of ${token}`,
    knownActor: () => null,
    denied: (actor: SignedInAccount, ip: string, path: string) => void did.push(`denied ${actor.userName} ${ip} ${path}`),
    seen: (actor: SignedInAccount, ip: string) => void did.push(`seen ${actor.userName} ${ip}`),
    catchUp: () => null,
    isSetUp: async () => setUp,
  }
  const limiter = { take: count, pass: async (name: string, key: string) => count(name, key), refund: () => undefined }
  const whole = { access: 'anyone', summary: '', ...shape } as EndpointShape
  const endpoint: Endpoint = { method: 'GET', path: '/api/thing', shape: whole }
  const answer = await admit({ gate, limiter }, endpoint, requestOf(situation, whole.access), {} as FastifyReply).catch(
    (error: { code: string }) => error.code,
  )
  return { answer, did }
}

test('the access of a call is the lowest permitted role', () => {
  const table = (['anyone', 'user', 'monitor', 'admin'] as const).map((access) =>
    [null, actors.banned, actors.user, actors.monitor, actors.admin].map((actor) => mayUse(access, actor ?? null)),
  )
  expect(table).toEqual([
    [true, true, true, true, true],
    [false, false, true, true, true],
    [false, false, false, true, true],
    [false, false, false, false, true],
  ])
})

test('an anonymous caller is counted by the network of the address first, without a session lookup', async () => {
  expect(await ask({})).toEqual({
    answer: { actor: null, ip: '203.0.113.9', key: '203.0.113.9', session: null },
    did: ['global 203.0.113.9'],
  })
  const { answer, did } = await ask({}, { ip: '2001:db8:0:1::7' })
  expect([answer, did]).toEqual([
    { actor: null, ip: '2001:db8:0:1::7', key: '2001:db8:0:1::/64', session: null },
    ['global 2001:db8:0:1::/64'],
  ])
})

test('a signed-in caller is counted by account, once, and the visit is recorded', async () => {
  expect(await ask({ access: 'user', limit: 'submit' }, { token: 'user' })).toEqual({
    answer: { actor: actors.user, ip: '203.0.113.9', key: 'u', session: { token: 'user', hash: 'hash of user' } },
    did: ['session', 'seen user 203.0.113.9', 'global u', 'submit u'],
  })
})

test('a cookie without an account is counted by the address', async () => {
  expect(await ask({ access: 'user' }, { token: 'stale' })).toEqual({
    answer: 'auth.required',
    did: ['session', 'global 203.0.113.9'],
  })
})

test('429 comes before 401 and 403, for the global limit and the limit of the call', async () => {
  for (const full of ['global', 'submit']) {
    for (const token of ['', 'stale', 'user'])
      expect((await ask({ access: 'admin', limit: 'submit' }, { token, full: [full] })).answer).toBe('request.too_many')
  }
  const { did } = await ask({ access: 'admin', limit: 'submit' }, { token: 'user', full: ['submit'] })
  expect(did.filter((one) => one.startsWith('denied'))).toEqual([])
})

test('a limit counted by another process is awaited before the request continues', async () => {
  const gate = { catchUp: () => null, isSetUp: async () => true } as unknown as Gate
  const { promise, reject } = Promise.withResolvers<void>()
  const limiter = { take: () => promise, pass: async () => undefined, refund: () => undefined }
  const endpoint: Endpoint = { method: 'POST', path: '/api/thing', shape: { access: 'anyone', limit: 'register', summary: '' } }
  const admitted = admit({ gate, limiter }, endpoint, requestOf({}, 'anyone'), {} as FastifyReply)
  const soon = new Promise((done) => setImmediate(done, 'waits'))
  expect(await Promise.race([admitted, soon])).toBe('waits')
  reject(new RequestError('request.too_many', { retryAfter: 3 }))
  await expect(admitted).rejects.toMatchObject({ code: 'request.too_many' })
})

test('callers without permission also use the limit of the call', async () => {
  expect((await ask({ access: 'admin', limit: 'submit' })).did).toEqual(['global 203.0.113.9', 'submit 203.0.113.9'])
})

test('the login limit is left to the login, which counts only failures', async () => {
  expect((await ask({ limit: 'login' }, { full: ['login'] })).did).toEqual(['global 203.0.113.9'])
})

test('before setup only the setup calls respond; an exceeded limit comes first', async () => {
  expect((await ask({}, { setUp: false })).answer).toBe('site.not_set_up')
  expect((await ask({ access: 'admin' }, { setUp: false })).answer).toBe('site.not_set_up')
  expect((await ask({ beforeSetUp: true }, { setUp: false })).answer).toMatchObject({ actor: null })
  expect((await ask({}, { setUp: false, full: ['global'] })).answer).toBe('request.too_many')
})

test('401 without a login, 403 below the role; only refused staff calls are logged, with the path and without the query', async () => {
  expect((await ask({ access: 'user' })).answer).toBe('auth.required')
  const banned = await ask({ access: 'user' }, { token: 'banned' })
  expect([banned.answer, banned.did.some((one) => one.startsWith('denied'))]).toEqual(['auth.forbidden', false])
  const user = await ask({ access: 'monitor' }, { token: 'user' })
  expect([user.answer, user.did.at(-1)]).toEqual(['auth.forbidden', 'denied user 203.0.113.9 /api/thing'])
  expect((await ask({ access: 'monitor' }, { token: 'monitor' })).answer).toMatchObject({ actor: actors.monitor })
})

test('a call without cost checks neither limit nor session', async () => {
  expect(await ask({ unguarded: true }, { token: 'user', setUp: false, full: ['global'] })).toEqual({
    answer: { actor: null, ip: '203.0.113.9', key: '203.0.113.9', session: null },
    did: [],
  })
})

test('a local caller is exempt from the global limit, not from the limit of the call', async () => {
  expect((await ask({ limit: 'register' }, { ip: '127.0.0.1', full: ['global'] })).did).toEqual(['register 127.0.0.1'])
})

test.each([
  ['admin', 'user', 'auth.forbidden'],
  ['admin', 'admin', undefined],
  ['user', 'user', undefined],
  ['user', 'banned', 'auth.forbidden'],
  ['user', 'stale', 'auth.required'],
  ['user', '', 'auth.required'],
])('at the end of an upload for %s the caller %s is checked again: %s', async (access, token, code) => {
  const gate = {
    findActor: async (given: string) => {
      const actor = actors[given]
      return actor ? { actor, isOld: false } : null
    },
    renew: async () => undefined,
    sessionOf: (token: string) => token,
    knownActor: () => null,
    denied: () => undefined,
    seen: () => undefined,
    catchUp: () => null,
    isSetUp: async () => true,
  }
  const outcome = mustStillBeAllowed(gate, requestOf({ token }, access))
  if (code) await expect(outcome).rejects.toMatchObject({ code })
  else await expect(outcome).resolves.toBeUndefined()
})

test('only an old session is renewed and gets its cookie again, by a call whose answer can carry it', async () => {
  for (const [isOld, sends, given] of [
    [true, undefined, [[cookieName, 'user']]],
    [true, 'file', []],
    [true, 'stream', []],
    [true, 'socket', []],
    [false, undefined, []],
  ] as const) {
    const renewed: string[] = []
    const cookies: unknown[] = []
    const reply = {
      setCookie: (name: string, token: string) => void cookies.push([name, token]),
      header: () => reply,
    } as unknown as FastifyReply
    const gate = {
      findActor: async () => ({ actor: actors.user as SignedInAccount, isOld }),
      renew: async (token: string) => void renewed.push(token),
      sessionOf: (token: string) => token,
      knownActor: () => null,
      denied: () => undefined,
      seen: () => undefined,
      catchUp: () => null,
      isSetUp: async () => true,
    }
    const limiter = { take: () => undefined, pass: async () => undefined, refund: () => undefined }
    const shape: EndpointShape = { access: 'user', summary: '', ...(sends && { sends }) }
    await admit({ gate, limiter }, { method: 'GET', path: '/api/thing', shape }, requestOf({ token: 'user' }, 'user'), reply)
    expect([cookies, renewed]).toEqual([given, given.map(([, token]) => token)])
  }
})

test('a call that reads, or whose write checks the session, uses the cached caller and records the visit; others look the caller up', async () => {
  const did: string[] = []
  const gate = {
    findActor: async () => {
      did.push('looked up')
      return { actor: actors.monitor as SignedInAccount, isOld: false }
    },
    renew: async () => undefined,
    sessionOf: (token: string) => `hash of ${token}`,
    knownActor: (session: string) => {
      did.push(`known ${session}`)
      return session === 'hash of user' ? (actors.user as SignedInAccount) : null
    },
    denied: () => undefined,
    seen: (actor: SignedInAccount, ip: string) => void did.push(`seen ${actor.userName} ${ip}`),
    catchUp: () => null,
    isSetUp: async () => true,
  }
  const limiter = { take: () => undefined, pass: async () => undefined, refund: () => undefined }
  const requestWith = async (method: string, shape: Partial<EndpointShape> = {}, token = 'user') => {
    did.length = 0
    const whole = { access: 'user', summary: '', ...shape } as EndpointShape
    const endpoint: Endpoint = { method: 'GET', path: '/api/thing', shape: whole }
    const request = Object.assign(requestOf({ token }, whole.access), { method })
    return (await admit({ gate, limiter }, endpoint, request, {} as FastifyReply)).actor?.userName
  }
  const user = actors.user?.userName
  const monitor = actors.monitor?.userName
  for (const [method, shape] of [
    ['GET', {}],
    ['HEAD', {}],
    ['POST', { testsSession: true }],
  ] as const) {
    expect(await requestWith(method, shape)).toBe(user)
    expect(did).toEqual(['known hash of user', `seen ${user} 203.0.113.9`])
  }
  for (const [method, shape] of [
    ['POST', {}],
    ['PUT', {}],
    ['DELETE', {}],
    ['GET', { sends: 'socket' }],
  ] as const) {
    expect(await requestWith(method, shape)).toBe(monitor)
    expect(did).toEqual(['looked up', `seen ${monitor} 203.0.113.9`])
  }
  expect(await requestWith('GET', {}, 'monitor')).toBe(monitor)
  expect(did.slice(0, 2)).toEqual(['known hash of monitor', 'looked up'])
  // A request that the cached role would refuse is looked up.
  expect(await requestWith('GET', { access: 'monitor' })).toBe(monitor)
  expect(did.slice(0, 2)).toEqual(['known hash of user', 'looked up'])
})
