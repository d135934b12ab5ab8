import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'

const page = readFileSync(join(import.meta.dirname, '../../index.html'), 'utf8')
const scripts = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = '']) => script)
const files = {
  texts: { en: '/en.js', zh: '/zh.js' },
  screens: {
    home: { code: ['/home.js'], styles: ['/home.css'] },
    scoreboard: { code: ['/scoreboard.js'], styles: ['/scoreboard.css'], texts: { en: '/board-en.js', zh: '/board-zh.js' } },
  },
}
interface Game {
  start: string
  teamCount: number
  status: string
  registered: Record<string, number>
}
interface Link {
  readonly href: string
  readonly nonce: string
  readonly crossOrigin?: string
}
interface Site {
  isReachable: boolean
  setupRequired: boolean
  game: Game
}
const at = (ms: number) => new Date(Date.now() + ms).toISOString()
const running: Game = { start: at(-1000), teamCount: 500, status: 'Unsubmitted', registered: { 7: 0 } }

const device = { stored: {} as Record<string, string>, cookie: '', languages: ['zh-CN'], prefersLight: false }

/** Runs the scripts of the page at an address, on a device, against a server with these answers. */
async function open(
  path: string,
  { isReachable = true, setupRequired = false, game = running, ...own }: Partial<typeof device & Site> = {},
) {
  const { stored, cookie, languages, prefersLight } = { ...device, ...own }
  const root = { style: { colorScheme: '' }, scheme: '' }
  const requests: string[] = []
  const preloaded: string[] = []
  const answers: Record<string, unknown> = { '/api/config': { setupRequired }, '/api/game/3': game }
  const { pathname, search } = new URL(path, 'http://site')
  const context = createContext({
    URLSearchParams,
    localStorage: { getItem: (key: string) => stored[key] ?? null },
    matchMedia: (query: string) => ({ matches: query === '(prefers-color-scheme: light)' && prefersLight }),
    location: { pathname, search },
    navigator: { languages },
    document: {
      cookie,
      currentScript: { nonce: 'n' },
      documentElement: Object.assign(root, {
        setAttribute: (name: string, value: string) =>
          name === 'data-mantine-color-scheme' && Object.assign(root, { scheme: value }),
      }),
      createElement: () => ({}),
      // A preload without this mode is loaded a second time by `import`.
      head: { append: ({ href, nonce, crossOrigin }: Link) => preloaded.push(`${href} ${nonce}${crossOrigin ?? ', no CORS'}`) },
    },
    fetch: async (address: string) => {
      requests.push(address)
      if (!isReachable) throw new TypeError('Failed to fetch')
      return Response.json(answers[address] ?? {})
    },
  })
  for (const script of scripts) runInContext(script.replace('/* early files */ {}', JSON.stringify(files)), context)
  // The client takes the answers later, when its code has loaded.
  await new Promise((resolve) => setImmediate(resolve))
  const early: typeof globalThis.early = context.early
  const answered: Record<string, boolean> = {}
  for (const [address, { answer }] of Object.entries(early ?? {}))
    answered[address] = await answer.then(
      (one) => one !== undefined,
      () => false,
    )
  return { requests, preloaded, answered, schemes: [root.scheme, root.style.colorScheme] }
}

const yes = (...addresses: string[]) => Object.fromEntries(addresses.map((address) => [address, true]))

test('the start page requests its code, texts, styles and lists', async () => {
  const calls = ['/api/config', '/api/account/session', '/api/game?count=100&skip=0', '/api/posts/latest']
  const { requests, preloaded, answered } = await open('/')
  expect(requests.toSorted()).toEqual([...calls, '/home.css'].toSorted())
  expect(preloaded).toEqual(['/zh.js n', '/home.js n'])
  expect(answered).toEqual(yes(...calls))
})

test('the scoreboard requests its game and, where that is large and has begun, the start of the board and the own rows', async () => {
  const calls = ['/api/config', '/api/account/session', '/api/game/3']
  const start = '/api/game/3/scoreboard/start'
  const large = await open('/games/3/scoreboard')
  expect(large.answered).toEqual(yes(...calls, start))
  expect(large.preloaded).toEqual(['/zh.js n', '/board-zh.js n', '/scoreboard.js n'])
  expect(large.requests).toContain('/scoreboard.css')
  // The caller's team does not play, or not yet.
  expect(large.requests.filter((address) => address.includes('?'))).toEqual([])
  const joined = await open('/games/3/scoreboard', { game: { ...running, status: 'Accepted', registered: { 7: 2, 9: 1 } } })
  expect(joined.requests.filter((address) => address.includes('?')).toSorted()).toEqual([`${start}?team=7`, `${start}?team=9`])
  for (const game of [
    { ...running, teamCount: 499, status: 'Accepted' },
    { ...running, start: at(60_000), status: 'Accepted' },
  ]) {
    const { requests, answered } = await open('/games/3/scoreboard', { game })
    expect(answered).toEqual({ ...yes(...calls), [start]: false })
    expect(requests.filter((address) => address.startsWith(start))).toEqual([])
  }
})

test('where the platform is unreachable no request is an unhandled error of the page', async () => {
  // An unhandled rejection fails the run.
  for (const path of ['/', '/games/3/scoreboard'])
    expect(Object.values((await open(path, { isReachable: false })).answered)).toEqual([false, false, false, false])
})

test('before the set-up no list is requested, and other pages request settings, session and their texts', async () => {
  const before = await open('/', { setupRequired: true })
  expect(before.requests.filter((address) => address.startsWith('/api/')).toSorted()).toEqual([
    '/api/account/session',
    '/api/config',
  ])
  for (const path of [
    '/games/3',
    '/games/3/scoreboard?at=5',
    '/games/x/scoreboard',
    '/games/3/scoreboard/x',
    '/games/3/challenges',
  ])
    expect(await open(path)).toMatchObject({
      requests: ['/api/config', '/api/account/session'],
      preloaded: ['/zh.js n'],
      answered: yes('/api/config', '/api/account/session'),
    })
})

test('the texts are those of the address, else of the cookie, else those chosen earlier, else of the browser, else English', async () => {
  const own = { cookie: 'a=1; lng=en-US', stored: { lng: 'zh' } }
  const textsOf = async (path: string, some: Partial<typeof device>) => (await open(path, some)).preloaded
  expect(await textsOf('/games?lng=ZH-cn', own)).toEqual(['/zh.js n'])
  expect(await textsOf('/games', own)).toEqual(['/en.js n'])
  // Languages without texts are skipped; so is a cookie whose name only ends like that of the language.
  expect(await textsOf('/games?lng=fr', { ...own, cookie: 'xlng=en; lng=de' })).toEqual(['/zh.js n'])
  expect(await textsOf('/games', { languages: ['fr-FR', 'EN-gb', 'zh'] })).toEqual(['/en.js n'])
  expect(await textsOf('/games', { languages: ['fr'] })).toEqual(['/en.js n'])
})

test('before the first paint the scheme is the chosen one, else that of the system, else dark', async () => {
  const schemeOf = async (some: Partial<typeof device>) => (await open('/games', some)).schemes
  expect(await schemeOf({})).toEqual(['dark', 'dark'])
  expect(await schemeOf({ prefersLight: true })).toEqual(['light', 'light'])
  expect(await schemeOf({ prefersLight: true, stored: { scheme: 'dark' } })).toEqual(['dark', 'dark'])
  expect(await schemeOf({ stored: { scheme: 'light' } })).toEqual(['light', 'light'])
  expect(await schemeOf({ prefersLight: true, stored: { scheme: 'auto' } })).toEqual(['light', 'light'])
})

test('a browser that refuses access to its storage gets the scheme and the texts that it asks for', async () => {
  const stored = new Proxy<Record<string, string>>(
    {},
    {
      get() {
        throw new DOMException('denied', 'SecurityError')
      },
    },
  )
  expect(await open('/games', { stored, prefersLight: true })).toMatchObject({
    preloaded: ['/zh.js n'],
    schemes: ['light', 'light'],
  })
})
