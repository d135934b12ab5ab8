/** Simulated players that use the platform until they are stopped. */
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { isOfBoard, keyOf, type Ledger, record } from './ledger.ts'

/** Replaced by null if no answer arrives. */
interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  readonly body: any
  readonly cookie: string
}
export type Ask = (method: string, path: string, body?: unknown) => Promise<Answer | null>

const answersWithin = 15_000

/** Sends requests to this node with the cookie of a session, which it keeps. */
export function openSession(url: () => string, ledger?: Ledger): Ask & { cookie(): string } {
  let cookie = ''
  const ask: Ask = async (method, path, body) => {
    const headers = { cookie, ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }) }
    const asked = { method, path, at: performance.now() }
    const sent = body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }
    try {
      const answer = await fetch(url() + path, { method, headers, signal: AbortSignal.timeout(answersWithin), ...sent })
      const text = await answer.text()
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
      if (ledger) record(ledger, asked, answer.status, answer.ok ? text : null)
      return { status: answer.status, body: text.startsWith('<') || text === '' ? text : JSON.parse(text), cookie }
    } catch {
      if (ledger) record(ledger, asked, 0, null)
      return null
    }
  }
  return Object.assign(ask, { cookie: () => cookie })
}

/** Listens to the hub and reconnects after a disconnect, as browsers do. */
function listen(url: () => string, game: number, cookie: string, ledger: Ledger): () => void {
  let over = false
  let socket: WebSocket
  const connect = () => {
    if (over) return
    socket = new WebSocket(`${url().replace('http', 'ws')}/hub/user?game=${game}`, { headers: { cookie } })
    socket.on('open', () => socket.send('{"protocol":"json","version":1}\x1e'))
    socket.on('message', (data) => {
      for (const frame of String(data).split('\x1e')) if (isOfBoard(frame)) ledger.messages.add(frame)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => setTimeout(connect, 300))
  }
  connect()
  return () => {
    over = true
    socket.terminate()
  }
}

export interface Played {
  readonly game: number
  readonly challenges: readonly { readonly id: number; readonly flag: string }[]
  /** A challenge with instances; null: there is no engine. */
  readonly container: number | null
  readonly urls: readonly string[]
  readonly ledger: Ledger
  readonly picture: Uint8Array
}

export interface Players {
  /** Pauses the players. Returns when no request is under way. */
  pause(): Promise<void>
  resume(): void
  stop(): Promise<void>
  /** Number of visits, with or without a successful registration. */
  visits(): number
}

export const captchaToken = 'a token'
const password = 'Correct-Horse-9'
/** Number of players that use an instance at the same time. */
const startersAt = 2
/** Attempts to destroy an instance, which are refused in the first ten seconds after its start. */
const destroyTries = 60
const thinks = 40
let count = 0

/**
 * Keeps `at` players active: each registers, joins, uploads a picture, answers every challenge and leaves; then the next one starts. The last of them
 * stays and sends wrong answers. `people` limits the number of accounts; after that they return, and the size of the game stays the same.
 */
export function startPlayers(played: Played, at: number, prefix: string, people = Number.POSITIVE_INFINITY): Players {
  let over = false
  let resting = Promise.withResolvers<void>()
  resting.resolve()
  let underWay = 0
  /** One request; waits while the players are paused. */
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    await resting.promise
    underWay++
    return work().finally(() => underWay--)
  }
  const work = Array.from({ length: at }, async (_, place) => {
    const stays = place === at - 1
    while (!over) {
      const visit = count++
      await live(played, `${prefix}${visit % people}`, { place, stays, visit }, during, () => over).catch(() => sleep(300))
    }
  })
  return {
    async pause() {
      resting = Promise.withResolvers()
      while (underWay > 0) await sleep(20)
    },
    resume: () => resting.resolve(),
    async stop() {
      over = true
      resting.resolve()
      await Promise.all(work)
    },
    visits: () => count,
  }
}

/** Registers an account with a session, and joins the game with its team. Failed steps are not repeated. */
export async function enrol(ask: Ask, name: string, game: number): Promise<void> {
  await ask('POST', '/api/account/register', registrationOf(name))
  const team = await ask('POST', '/api/team', { name })
  await ask('POST', `/api/game/${game}`, { teamId: team?.body?.id })
}

const registrationOf = (userName: string) => ({
  ...{ userName, password, challenge: captchaToken },
  email: `${userName}@example.org`,
})

type During = <T>(work: () => Promise<T>) => Promise<T>

async function live(
  { game, challenges, container, urls, ledger, picture }: Played,
  name: string,
  { place, stays, visit }: { readonly place: number; readonly stays: boolean; readonly visit: number },
  during: During,
  isOver: () => boolean,
) {
  let node = place
  const url = () => urls[node % urls.length] as string
  const session = openSession(url, ledger)
  /** One step; without an answer, or after a 5xx status, the next step uses another node. */
  const step = (method: string, path: string, body?: unknown) =>
    during(async () => {
      const answer = await session(method, path, body)
      if (answer === null || answer.status >= 500) node++
      await sleep(answer?.status === 200 ? thinks : 300)
      return answer?.status === 200 ? answer : null
    })
  const must = async (...args: Parameters<typeof step>) => (await step(...args)) ?? Promise.reject(new Error('refused'))

  const login = () => must('POST', '/api/account/login', { userName: name, password, challenge: captchaToken })
  const isNew = !ledger.joined.has(name)
  if (isNew) {
    const { email } = registrationOf(name)
    await must('POST', '/api/account/register', registrationOf(name))
    ledger.accounts.add(name)
    if (await step('POST', '/api/account/recovery', { email, challenge: captchaToken })) ledger.recoveries.add(email)
    await login()
    const team = await must('POST', '/api/team', { name })
    ledger.teams.add(name)
    await must('POST', `/api/game/${game}`, { teamId: team.body.id })
    ledger.joined.add(name)
  } else await login()
  const instance = container !== null && place < startersAt ? `/api/game/${game}/container/${container}` : null
  const isStarted = instance !== null && (await step('POST', instance)) !== null
  if (isStarted) ledger.instances.set(name, true)
  const away = listen(url, game, session.cookie(), ledger)
  try {
    const form = new FormData()
    form.append('file', new Blob([picture as Uint8Array<ArrayBuffer>], { type: 'image/png' }), 'avatar.png')
    await step('PUT', '/api/account/avatar', form)
    const solveAll = async (round: number) => {
      for (const [number, { id, flag }] of challenges.entries()) {
        if (isOver()) return
        await step('GET', `/api/game/${game}/details`)
        await step('GET', `/api/game/${game}/challenges/${id}`)
        for (const sent of [`wrong ${visit} ${round} ${number}`, ...(isNew && round === 0 ? [flag] : [])]) {
          const taken = await step('POST', `/api/game/${game}/challenges/${id}`, { flag: sent })
          if (taken) ledger.answers.set(keyOf(name, id, sent), Number(taken.body))
        }
        await step('GET', `/api/game/${game}/scoreboard`)
        const feed = await step('GET', `/api/game/${game}/scoreboard/feed`)
        if (feed) await step('GET', `/api/game/${game}/scoreboard/feed?after=${feed.body.head}`)
      }
    }
    for (let round = 0; round === 0 || (stays && !isOver()); round++) await solveAll(round)
    // The first request to destroy it may end it.
    if (isStarted) ledger.instances.set(name, false)
    for (let tries = 0; isStarted && tries < destroyTries && !isOver(); tries++)
      if (await step('DELETE', instance as string)) return
  } finally {
    away()
  }
}
