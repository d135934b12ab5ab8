/** Players who send answers as fast as they are accepted, and a record of what was acknowledged, for tests that break things at the same time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Platform } from '../../../e2e/platform.ts'

/** How often each status was answered; `none`: a request without an answer. */
export type Counted = Map<number | 'none' | '503 without Retry-After', number>

export interface Told {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  readonly body: any
  readonly cookie: string
  readonly retryAfter: string | null
}

export interface Storm {
  readonly game: number
  readonly admin: string
  /** Session cookies of the players, each alone in a team. */
  readonly people: readonly string[]
  /** Ids of the acknowledged answers, each by a unique key. */
  readonly acknowledged: ReadonlyMap<string, number>
  /** Statuses of the answers only. */
  readonly statuses: Counted
  readonly inFlight: () => number
  ask(method: string, path: string, body?: unknown, cookie?: string): Promise<Told>
  /** Opens a challenge and lets all players send until `stop` is called: first the right flag, then wrong ones, all of them different. */
  blow(round: number): Promise<{ stop(): Promise<void> }>
  /** Every acknowledged answer is stored, none twice. Returns what was counted. */
  mustHoldAll(): Promise<{ stored: number }>
}

interface Stored {
  readonly answer: string
  readonly team: string
}

/** `platform` is called for each request, so that it may be started again. */
export async function raiseStorm(platform: () => Pick<Platform, 'url' | 'adminPassword'>, players: number): Promise<Storm> {
  const statuses: Counted = new Map()
  const acknowledged = new Map<string, number>()
  let inFlight = 0

  async function ask(method: string, path: string, body?: unknown, cookie = ''): Promise<Told> {
    const answer = await fetch(platform().url + path, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const newCookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    return {
      status: answer.status,
      body: text ? JSON.parse(text) : null,
      cookie: newCookie,
      retryAfter: answer.headers.get('retry-after'),
    }
  }

  const admin = (await ask('POST', '/api/account/login', { userName: 'Admin', password: platform().adminPassword })).cookie
  const hour = 3_600_000
  const times = { start: new Date(Date.now() - hour).toISOString(), end: new Date(Date.now() + 5 * hour).toISOString() }
  const game = (await ask('POST', '/api/edit/games', { title: 'Storm', acceptWithoutReview: true, ...times }, admin)).body.id
  const people = await Promise.all(
    Array.from({ length: players }, async (_, i) => {
      const person = { userName: `sailor${i}`, password: 'anchors', email: `s${i}@example.org` }
      const { cookie } = await ask('POST', '/api/account/register', person)
      const team = await ask('POST', '/api/team', { name: `crew ${i}` }, cookie)
      await ask('POST', `/api/game/${game}`, { teamId: team.body.id }, cookie)
      return cookie
    }),
  )

  async function send(challenge: number, flag: string, key: string, cookie: string): Promise<void> {
    inFlight++
    const sent = await ask('POST', `/api/game/${game}/challenges/${challenge}`, { flag }, cookie).catch(() => null)
    inFlight--
    const status = sent?.status === 503 && sent.retryAfter !== '1' ? '503 without Retry-After' : (sent?.status ?? 'none')
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (sent?.status === 200) acknowledged.set(key, sent.body)
    // After a refusal the player waits a moment, as the web does.
    else await sleep(100)
  }

  return {
    game,
    admin,
    people,
    acknowledged,
    statuses,
    inFlight: () => inFlight,
    ask,
    async blow(round) {
      const challenge = (await ask('POST', `/api/edit/games/${game}/challenges`, { title: `Gale ${round}` }, admin)).body.id
      await ask('POST', `/api/edit/games/${game}/challenges/${challenge}/flags`, [{ flag: `flag{${round}}` }], admin)
      await ask('PUT', `/api/edit/games/${game}/challenges/${challenge}`, { isEnabled: true }, admin)
      let over = false
      const sailing = people.map(async (cookie, i) => {
        for (let k = 0; !over; k++) {
          const right = k === 0
          await send(
            challenge,
            right ? `flag{${round}}` : `r${round} p${i} k${k}`,
            right ? `flag{${round}} crew ${i}` : `r${round} p${i} k${k}`,
            cookie,
          )
        }
      })
      return {
        async stop() {
          over = true
          await Promise.all(sailing)
        },
      }
    },
    async mustHoldAll() {
      const stored = (await ask('GET', `/api/game/${game}/submissions?count=0`, undefined, admin)).body as Stored[]
      const keyOf = ({ answer, team }: Stored) => (answer.startsWith('flag{') ? `${answer} ${team}` : answer)
      const rows = Map.groupBy(stored, keyOf)
      expect([...acknowledged.keys()].filter((key) => !rows.has(key))).toEqual([])
      expect([...rows].filter(([, same]) => same.length > 1).map(([key]) => key)).toEqual([])
      return { stored: stored.length }
    },
  }
}

/** Waits until this many more answers were acknowledged. */
export async function untilMore(storm: Storm, count: number): Promise<void> {
  for (const before = storm.acknowledged.size; storm.acknowledged.size - before < count; ) await sleep(1)
}
