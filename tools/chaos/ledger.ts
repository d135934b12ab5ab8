/** A record of everything that was acknowledged and shown to players. */
import type { BoardChanged, BoardRoster, BoardSolves } from '@vexil/contract/live'
import type { Feed, FeedTail, Scoreboard } from '@vexil/contract/scoreboard'

/** An answer to a submission, or a board. */
interface Timed {
  /** Time of the request in ms (`performance.now()`). */
  readonly at: number
  readonly ms: number
  /** 0: no answer. */
  readonly status: number
  readonly what: string
}

export interface Ledger {
  /** Names of accounts and of teams. */
  readonly accounts: Set<string>
  readonly teams: Set<string>
  /** Names of teams that joined the game. */
  readonly joined: Set<string>
  /** Numbers of submissions by player, challenge and flag; each is sent at most once. */
  readonly answers: Map<string, number>
  /** Addresses that a recovery mail was promised to. */
  readonly recoveries: Set<string>
  /** Teams whose instance was started; false from the first request to destroy it on. */
  readonly instances: Map<string, boolean>
  /** Bodies of boards, of the feed and its tails, and messages of hubs, each once. */
  readonly boards: Set<string>
  readonly feeds: Set<string>
  readonly messages: Set<string>
  /** How often each status was answered; 0: no answer. */
  readonly statuses: Map<number, number>
  /** Requests that were answered with 500, each as `METHOD path`. */
  readonly failures: string[]
  readonly times: Timed[]
}

export const keyOf = (player: string, challenge: number, flag: string): string => `${player} ${challenge} ${flag}`

export const newLedger = (): Ledger => ({
  accounts: new Set(),
  teams: new Set(),
  joined: new Set(),
  answers: new Map(),
  recoveries: new Set(),
  instances: new Map(),
  boards: new Set(),
  feeds: new Set(),
  messages: new Set(),
  statuses: new Map(),
  failures: [],
  times: [],
})

/** Records one request and its answer; `text`: the body of a successful answer, otherwise null. */
export function record(
  ledger: Ledger,
  asked: { readonly method: string; readonly path: string; readonly at: number },
  status: number,
  text: string | null,
): void {
  const { method, path, at } = asked
  ledger.statuses.set(status, (ledger.statuses.get(status) ?? 0) + 1)
  if (status === 500) ledger.failures.push(`${method} ${path}`)
  const isBoard = path.endsWith('/scoreboard')
  if (isBoard || (method === 'POST' && /\/challenges\/\d+$/.test(path)))
    ledger.times.push({ at, ms: performance.now() - at, status, what: `${method} ${path}` })
  if (text === null) return
  if (isBoard) ledger.boards.add(text)
  if (path.includes('/scoreboard/feed')) ledger.feeds.add(text)
}

const targets = ['VexilSolves', 'VexilBoard', 'VexilRoster']
export const isOfBoard = (frame: string): boolean => targets.some((target) => frame.includes(`"target":"${target}"`))

export interface Shown {
  readonly boards: readonly Scoreboard[]
  readonly feeds: readonly (Feed | FeedTail)[]
  readonly solves: readonly BoardSolves[]
  readonly changes: readonly BoardChanged[]
  readonly rosters: readonly BoardRoster[]
}

/** Returns what was shown since the last call, and removes it from the ledger. */
export function takeShown({ boards, feeds, messages }: Ledger): Shown {
  const parsed = [...messages].map((text) => JSON.parse(text) as { target: string; arguments: unknown[] })
  const of = <T>(wanted: string) => parsed.filter(({ target }) => target === wanted).map((message) => message.arguments[0] as T)
  const shown = {
    boards: [...boards].map((text) => JSON.parse(text) as Scoreboard),
    feeds: [...feeds].map((text) => JSON.parse(text) as Feed | FeedTail),
    solves: of<BoardSolves>('VexilSolves'),
    changes: of<BoardChanged>('VexilBoard'),
    rosters: of<BoardRoster>('VexilRoster'),
  }
  for (const all of [boards, feeds, messages]) all.clear()
  return shown
}
