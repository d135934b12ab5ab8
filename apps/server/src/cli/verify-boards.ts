/** Compares the boards that a platform serves with boards drawn from the database, as a node draws them at its start. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Feed, FeedTail, Scoreboard } from '@vexil/contract/scoreboard'
import { wireTime } from '@vexil/contract/wire'
import type { Config } from '../config.ts'
import type { Db } from '../db/transaction.ts'
import { readFacts } from '../scoreboard/board-facts.queries.ts'
import { feedView, tailView } from '../scoreboard/feed.view.ts'
import { drawKept, type KeptBoard } from '../scoreboard/kept-board.ts'
import { scoreboardView } from '../scoreboard/scoreboard.view.ts'
import type { Difference, Found } from './verify.queries.ts'

const check = 'a served board is the one of its solve log'

/** A body that took long to make is served for some seconds more, and solves arrive: both versions must be the same. */
const attempts = 30
const pauseMs = 1000
const withinMs = 60_000

/** The address of the platform that runs with this configuration on this machine. */
export function ownAddress({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const all: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
  return `http://${all[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`
}

/** Whether a platform answers at the address. */
export async function isServed(url: string): Promise<boolean> {
  return fetch(`${url}/healthz`, { signal: AbortSignal.timeout(withinMs) }).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Hidden games included: the calls serve every game that has started. Costs one drawing of each board, one at a time. */
export async function verifyBoards(db: Db, url: string, games: readonly number[]): Promise<Found> {
  const differences: Difference[] = []
  for (const game of games) differences.push(...(await verifyBoard(db, url, game)))
  return { check: `${check}, at ${url}`, differences, count: differences.length }
}

interface Served {
  readonly wire: Scoreboard
  readonly feed: Feed
  readonly tail: FeedTail
}

async function verifyBoard(db: Db, url: string, game: number): Promise<Difference[]> {
  for (let attempt = 1; ; attempt++) {
    const served = await readServed(url, game)
    if (typeof served === 'string') return [differenceOf(game, 'answer', served, 'a board')]
    const facts = await readFacts(db, game)
    // Deleted in the meantime.
    if (!facts) return []
    const kept = drawKept(facts)
    if (isSameVersion(kept, served)) return compare(game, kept, served)
    if (attempt === attempts) return [{ ...differenceOf(game, 'version', served.tail.to, kept.log.head), isWarning: true }]
    await sleep(pauseMs)
  }
}

/** Returns the served board, or the reason why there is none. */
async function readServed(url: string, game: number): Promise<Served | string> {
  const get = async (form: string) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await fetch(`${url}/api/game/${game}/${form}`, { signal: AbortSignal.timeout(withinMs) })
      if (answer.ok) return answer.json()
      if (answer.status !== 429 || attempt === attempts) throw new Error(`${form} answers ${answer.status}`)
      // A proxy may send a date, or nothing.
      await sleep((Number(answer.headers.get('retry-after')) || 1) * 1000)
    }
  }
  try {
    const feed = (await get('scoreboard/feed')) as Feed
    const tail = (await get(`scoreboard/feed?after=${feed.head}`)) as FeedTail
    return { wire: (await get('scoreboard')) as Scoreboard, feed, tail }
  } catch (error) {
    return (error as Error).message
  }
}

function isSameVersion(kept: KeptBoard, { wire, feed, tail }: Served): boolean {
  const { epoch, head, roster, changedAt } = kept.log
  const base = feedView(kept).head
  return (
    isDeepStrictEqual([tail.epoch, tail.to, tail.roster], [epoch, head, roster]) &&
    isDeepStrictEqual([feed.epoch, feed.head, feed.roster], [epoch, base, roster]) &&
    wire.updateTimeUtc === wireTime(changedAt)
  )
}

function compare(game: number, kept: KeptBoard, served: Served): Difference[] {
  const drawn = { wire: scoreboardView(kept), feed: feedView(kept), tail: tailView(kept, served.feed.head) }
  return (['wire', 'feed', 'tail'] as const).flatMap((form) => {
    const expected: unknown = JSON.parse(JSON.stringify(drawn[form]))
    const first = firstDifference(served[form], expected, form)
    return first ? [differenceOf(game, first.path, first.found, first.expected)] : []
  })
}

function differenceOf(game: number, path: string, found: unknown, expected: unknown): Difference {
  const text = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 200)
  return { check, table: 'board', id: `${game} ${path}`, found: text(found), expected: text(expected) }
}

interface Place {
  readonly path: string
  readonly found: unknown
  readonly expected: unknown
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The first place in which two JSON values differ, in the order of the expected one; null if they are equal. */
export function firstDifference(found: unknown, expected: unknown, path: string): Place | null {
  if (isDeepStrictEqual(found, expected)) return null
  if (!isObject(found) || !isObject(expected) || Array.isArray(found) !== Array.isArray(expected))
    return { path, found, expected }
  const keys = [...new Set([...Object.keys(expected), ...Object.keys(found)])]
  for (const key of keys) {
    const first = firstDifference(found[key], expected[key], `${path}.${key}`)
    if (first) return first
  }
  return { path, found, expected }
}
