/** Answers that replace those of the platform, for states that a running demo does not have. */
import type { Page, Route } from '@playwright/test'
import { messagesOf } from '../../packages/contract/src/messages/messages.ts'
import type { Language } from '../../packages/core/src/vocabulary.ts'

type Answer = Record<string, unknown>

const reads = (path: RegExp) => (url: URL) => path.test(url.pathname)

function languageOf(route: Route): Language {
  const code = (route.request().headers()['accept-language'] ?? '').slice(0, 2)
  return code === 'zh' ? 'zh_CN' : code === 'ja' ? 'ja_JP' : 'en_US'
}

/** GET requests of this path get the real answer, changed by `make`. */
export const change = <T = Answer>(page: Page, path: RegExp, make: (answer: T, language: Language) => unknown) =>
  page.route(reads(path), async (route) => {
    if (route.request().method() !== 'GET') return route.fallback()
    const response = await route.fetch()
    await route.fulfill({ response, json: make((await response.json()) as T, languageOf(route)) })
  })

/** All requests of this path get this answer. */
export const answer = (page: Page, path: RegExp, json: unknown, status = 200) =>
  page.route(reads(path), (route) => route.fulfill({ status, json }))

/** All requests of this path fail, with the message of the platform in the language of the screen. */
export const refuse = (page: Page, path: RegExp) =>
  page.route(reads(path), (route) => {
    const title = messagesOf[languageOf(route)].errors['server.unknown']
    return route.fulfill({ status: 500, json: { title, status: 500, requestId: 'k3v9x0q2ab' } })
  })

/** Requests of this path are never answered. */
export const hang = (page: Page, path: RegExp) => page.route(reads(path), () => undefined)

const game = /^\/api\/game\/\d+$/
export const games = /^\/api\/game$/
const hour = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * hour).toISOString()

export const times = {
  before: () => ({ start: inHours(20), end: inHours(68) }),
  ended: () => ({ start: inHours(-60), end: inHours(-12), writeupDeadline: inHours(-2) }),
  handingIn: () => ({ start: inHours(-60), end: inHours(-12), writeupDeadline: inHours(30) }),
}

/** The game of the demo with these changes. */
export const asGame = (page: Page, changed: Answer | (() => Answer)) =>
  change(page, game, (old) => ({ ...old, ...(typeof changed === 'function' ? changed() : changed) }))

/** The list of games, with other times of the running game. */
export const asList = (page: Page, when: () => Answer) =>
  change<Answer[]>(page, games, (list) =>
    list.map((one) => (Date.parse(String(one.start)) < Date.now() ? { ...one, ...when() } : one)),
  )

/** The configuration of the site with these changes. */
export const asSite = (page: Page, changed: Answer) => change(page, /^\/api\/config$/, (old) => ({ ...old, ...changed }))

/** The open challenge has containers, and its context has these changes. */
const withContext = (page: Page, context: Answer | ((language: Language) => Answer)) =>
  Promise.all([
    asSite(page, { containers: 'Default' }),
    change(page, /\/api\/game\/\d+\/challenges\/\d+$/, (old, language) => ({
      ...old,
      type: 'DynamicContainer',
      context: { ...(old.context as Answer), ...(typeof context === 'function' ? context(language) : context) },
    })),
  ])

/** A running instance of the open challenge. */
export const running = (page: Page, minutes: number) =>
  withContext(page, { instanceEntry: '203.0.113.7:32811', closeTime: inHours(minutes / 60) })

/** An instance of the open challenge that is starting, also in the tray. */
export const starting = (page: Page, start: Answer) =>
  Promise.all([
    withContext(page, { readiness: 'waiting', start }),
    change<Answer[]>(page, /\/api\/game\/\d+\/instances$/, () => [
      { challengeId: 1, status: 'Pending', startedAt: inHours(0), expectStopAt: inHours(2), entry: '', entries: [], start },
    ]),
  ])

export const startFailed = (page: Page) =>
  withContext(page, (language) => ({
    startFailure: {
      code: 'container.engine_unreachable',
      title: messagesOf[language].errors['container.engine_unreachable'],
      at: inHours(0),
    },
  }))
