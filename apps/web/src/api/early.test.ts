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
const at = (ms: number) => new Date(Date.now() + ms).toISOString()
const running: Game = { start: at(-1000), teamCount: 500, status: 'Unsubmitted', registered: { 7: 0 } }

/** Runs the scripts of the page at an address, against a server with these answers. */
async function open(path: string, { setupRequired = false, game = running } = {}) {
  const requests: string[] = []
  const preloaded: string[] = []
  const answers: Record<string, unknown> = { '/api/config': { setupRequired }, '/api/game/3': game }
  const { pathname, search } = new URL(path, 'http://site')
  const context = createContext({
    URLSearchParams,
    localStorage: { getItem: () => null },
    matchMedia: () => ({ matches: false }),
    location: { pathname, search },
    navigator: { languages: ['zh-CN'] },
    document: {
      cookie: '',
      currentScript: { nonce: 'n' },
      documentElement: { setAttribute() {}, style: {} },
      createElement: () => ({}),
      head: { append: ({ href, nonce }: { href: string; nonce: string }) => preloaded.push(`${href} ${nonce}`) },
    },
    fetch: async (address: string) => {
      requests.push(address)
      return Response.json(answers[address] ?? {})
    },
  })
  for (const script of scripts) runInContext(script.replace('/* early files */ {}', JSON.stringify(files)), context)
  const early: typeof globalThis.early = context.early
  const answered: Record<string, boolean> = {}
  for (const [address, { answer }] of Object.entries(early ?? {})) answered[address] = (await answer) !== undefined
  return { requests, preloaded, answered }
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

test('before the set-up no list is requested, and other pages request only their texts', async () => {
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
    expect(await open(path)).toEqual({ requests: [], preloaded: ['/zh.js n'], answered: {} })
})
