/** Finds wrong boards: states that the log of solves never had. Boards and messages are compared with the log at their own position in it. */
import { isDeepStrictEqual } from 'node:util'
import type { BoardChanged, BoardRoster, BoardSolves, SolveColumns } from '@vexil/contract/live'
import type { Feed, FeedTail, Scoreboard } from '@vexil/contract/scoreboard'
import type { Facts } from '../../apps/server/src/scoreboard/board-facts.queries.ts'
import { appendSolves, drawKept } from '../../apps/server/src/scoreboard/kept-board.ts'
import { scoreboardView } from '../../apps/server/src/scoreboard/scoreboard.view.ts'

/** The board of the log up to `head`. O(solves). */
const drawnAt = (facts: Facts, head: number) =>
  drawKept({ ...facts, log: { ...facts.log, head }, solves: facts.solves.filter(({ number }) => number <= head) })

/** All solves of the log as listeners get them. */
function columnsOf(facts: Facts): readonly Readonly<SolveColumns>[] {
  const all = appendSolves(drawnAt(facts, 0), facts.log, facts.solves)
  return all?.kind === 'solves' ? all.solves : []
}

/** Messages that differ from the log between their two numbers, or from its epoch. */
export function wrongSolves(facts: Facts, messages: Iterable<BoardSolves>): string[] {
  const columns = columnsOf(facts)
  return [...messages].flatMap((message) => {
    const { epoch, from, to, solves } = message
    const expected = columns.filter(([number]) => number > from && number <= to)
    const isRight = epoch === facts.log.epoch && from < to && to <= facts.log.head && isDeepStrictEqual(solves, expected)
    return isRight
      ? []
      : [`message ${JSON.stringify(message).slice(0, 300)}, the log has ${JSON.stringify(expected).slice(0, 300)}`]
  })
}

/** Teams without a solve join at any time and have no position in the log. */
const rowsOf = ({ items }: Scoreboard) =>
  items
    .filter(({ solvedCount }) => solvedCount > 0)
    .map(({ id, score, rank, solvedCount, solvedChallenges }) => [id, score, rank, solvedCount, solvedChallenges])

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** Boards whose teams, points, ranks or solves differ from the log at the number of solves that they show. */
export function wrongBoards(facts: Facts, boards: Iterable<Scoreboard>): string[] {
  const drawn = new Map<number, unknown>()
  return [...boards].flatMap((board) => {
    const head = board.items.reduce((sum, { solvedCount }) => sum + solvedCount, 0)
    if (!drawn.has(head)) drawn.set(head, rowsOf(plain(scoreboardView(drawnAt(facts, head)))))
    const [found, expected] = [rowsOf(board), drawn.get(head)]
    if (head <= facts.log.head && isDeepStrictEqual(found, expected)) return []
    return [
      `board at ${head} of ${facts.log.head}: ${JSON.stringify(found).slice(0, 300)}, the log has ${JSON.stringify(expected).slice(0, 300)}`,
    ]
  })
}

/** The solves of a feed as listeners get them. */
function readFeed({ startsAt, challenges, teams, users, solves }: Feed): SolveColumns[] {
  let shownAt = startsAt
  const counts = new Map<number, number>()
  return solves.number.map((number, at) => {
    const [challenge, team, user] = [solves.challenge[at]!, solves.team[at]!, solves.user[at]!]
    const place = (counts.get(challenge) ?? 0) + 1
    counts.set(challenge, place)
    shownAt += solves.after[at]!
    const values = challenges.values[challenge] ?? []
    const value = values[place] ?? values.at(-1) ?? 0
    const [participation, name] = [teams.participationId[team]!, users[user] ?? null]
    return [number, participation, challenges.id[challenge]!, name, shownAt - solves.raised[at]!, shownAt, value]
  })
}

const teamsOf = ({ teams, divisions }: Feed): BoardRoster['teams'] =>
  teams.id.map((id, at) => ({
    id,
    participationId: teams.participationId[at]!,
    name: teams.name[at]!,
    bio: teams.bio[at] ?? null,
    avatar: teams.avatar[at] ?? null,
    division: divisions[teams.division[at]!] ?? null,
  }))

/** Whether the teams are as stored. Others join at any time, so a missing one is not wrong here. */
function areKnown(facts: Facts, teams: BoardRoster['teams']): boolean {
  const stored = new Map(
    facts.teams.map(({ id, participationId, name, bio, avatar, division }) => {
      return [participationId, { id, participationId, name, bio, avatar, division }]
    }),
  )
  return teams.every((team) => isDeepStrictEqual({ ...team }, stored.get(team.participationId)))
}

/** Feeds and tails that differ from the log at their own position in it, and tails with a team that a feed of the same roster does not have. */
export function wrongFeeds(facts: Facts, feeds: readonly (Feed | FeedTail)[]): string[] {
  const { log, challenges } = facts
  const columns = columnsOf(facts)
  const between = (from: number, to: number) => columns.filter(([number]) => number > from && number <= to)
  const bases = feeds.filter((feed): feed is Feed => 'teams' in feed)
  const listed = new Map(bases.map((feed) => [feed.roster, new Set(feed.teams.participationId)]))
  const titles = new Map(challenges.map(({ id, title }) => [id, title]))
  const isBase = (feed: Feed) =>
    feed.head <= log.head &&
    feed.challenges.id.length === titles.size &&
    feed.challenges.id.every((id, at) => titles.get(id) === feed.challenges.title[at]) &&
    areKnown(facts, teamsOf(feed)) &&
    isDeepStrictEqual(readFeed(feed), between(0, feed.head))
  const isTail = ({ from, to, roster, solves }: FeedTail) =>
    from <= to &&
    to <= log.head &&
    isDeepStrictEqual(solves, between(from, to)) &&
    solves.every(([, participation]) => listed.get(roster)?.has(participation) ?? true)
  return feeds
    .filter((feed) => feed.epoch !== log.epoch || feed.roster > log.roster || !('teams' in feed ? isBase(feed) : isTail(feed)))
    .map((feed) => `feed ${JSON.stringify(feed).slice(0, 300)}, the log is ${JSON.stringify(log)}`)
}

/** Announcements of a board that the log never had. */
export const wrongChanges = ({ log }: Pick<Facts, 'log'>, changes: readonly BoardChanged[]): string[] =>
  changes
    .filter(({ epoch, head, roster }) => epoch !== log.epoch || head > log.head || roster > log.roster)
    .map((change) => `board change ${JSON.stringify(change)}, the log is ${JSON.stringify(log)}`)

/** Rosters with teams or names of solvers that are not as stored. */
export function wrongRosters(facts: Facts, rosters: readonly BoardRoster[]): string[] {
  const { log, solves } = facts
  const names = new Set(solves.map(({ userName }) => userName))
  const isRight = ({ epoch, roster, steps, teams }: BoardRoster) =>
    epoch === log.epoch &&
    roster <= log.roster &&
    steps.every(({ from, solvers }) => from <= roster && solvers.every(([, name]) => names.has(name))) &&
    areKnown(facts, teams)
  return rosters.filter((one) => !isRight(one)).map((one) => `roster ${JSON.stringify(one).slice(0, 300)}`)
}
