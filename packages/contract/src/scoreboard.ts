import { readinesses, shownEnds } from '@vexil/core/instances'
import { challengeCategories, challengeTypes, submissionTypes } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { Entry, StartProgress } from './challenges.ts'
import { endpoint } from './endpoint.ts'
import { Category, DateTime, Id, InChallenge, InGame, Int, Long, Nullable, OneOf, vexil } from './shapes.ts'

const Blood = Type.Object({
  id: Id,
  name: Type.String(),
  avatar: Nullable(Type.String()),
  submitTimeUtc: Nullable(DateTime),
})

const challengeOnBoard = { id: Id, title: Type.String(), category: Category, score: Int, solved: Int, bloods: Type.Array(Blood) }
export const ChallengeInfo = Type.Object(challengeOnBoard)

const ChallengeItem = Type.Object({
  id: Id,
  score: Int,
  type: OneOf(submissionTypes),
  userName: Nullable(Type.String()),
  time: DateTime,
})

export const ScoreboardItem = Type.Object({
  id: Id,
  name: Type.String(),
  bio: Nullable(Type.String()),
  organization: Nullable(Type.String()),
  avatar: Nullable(Type.String()),
  score: Int,
  rank: Int,
  organizationRank: Nullable(Int),
  lastSubmissionTime: DateTime,
  solvedChallenges: Type.Array(ChallengeItem),
  solvedCount: Int,
})
export type ScoreboardItem = Type.Static<typeof ScoreboardItem>

const byCategory = <T extends Type.TSchema>(item: T) =>
  Type.Object(
    Object.fromEntries(challengeCategories.map((name) => [name, Type.Optional(Type.Array(item))])) as Record<
      (typeof challengeCategories)[number],
      Type.TOptional<Type.TArray<T>>
    >,
  )

export const Scoreboard = Type.Object({
  updateTimeUtc: DateTime,
  bloodBonus: Long,
  timeLines: Type.Record(
    Type.String(),
    Type.Array(Type.Object({ id: Id, name: Type.String(), items: Type.Array(Type.Object({ time: DateTime, score: Int })) })),
  ),
  items: Type.Array(ScoreboardItem),
  challenges: byCategory(ChallengeInfo),
  challengeCount: Int,
})
export type Scoreboard = Type.Static<typeof Scoreboard>

/** The body depends on the board's version only, so it has an ETag and is serialised once. */
export const scoreboard = endpoint('GET /api/game/:id/scoreboard', {
  access: 'anyone',
  summary: 'Get the scoreboard',
  params: InGame,
  reply: Scoreboard,
  sends: 'stream',
  throws: ['game.not_found', 'game.not_started'],
})

/** Challenges, teams and the log up to `head`, in columns: row i of each belongs together; solves refer to teams, challenges and users by index. Does not change with every solve. */
export const Feed = Type.Object({
  gameId: Id,
  epoch: Long,
  head: Long,
  roster: Long,
  startsAt: Long,
  endsAt: Long,
  changedAt: Long,
  bloodBonus: Long,
  divisions: Type.Array(Type.String()),
  challenges: Type.Object({
    id: Type.Array(Id),
    title: Type.Array(Type.String()),
    category: Type.Array(Int),
    bloodBonus: Type.Array(Nullable(Long)),
    /** values[n]: score at n solves, up to one solve more than exist; beyond the end the last one applies. */
    values: Type.Array(Type.Array(Int)),
  }),
  teams: Type.Object({
    id: Type.Array(Id),
    participationId: Type.Array(Id),
    name: Type.Array(Type.String()),
    bio: Type.Array(Nullable(Type.String())),
    avatar: Type.Array(Nullable(Type.String())),
    /** Index in `divisions`, -1 for none. */
    division: Type.Array(Int),
  }),
  users: Type.Array(Nullable(Type.String())),
  solves: Type.Object({
    number: Type.Array(Long),
    team: Type.Array(Int),
    challenge: Type.Array(Int),
    user: Type.Array(Int),
    /** Milliseconds since the previous solve (the first: since the start of the game). */
    after: Type.Array(Long),
    /** Milliseconds by which the displayed time is later than the arrival; the arrival decides ties. */
    raised: Type.Array(Long),
  }),
})
export type Feed = Type.Static<typeof Feed>

/** The log above a number (`from`) up to its head (`to`), in the format of the live channel, for a client that has the feed. */
export const FeedTail = Type.Object({
  gameId: Id,
  epoch: Long,
  roster: Long,
  from: Long,
  to: Long,
  /** Number, participation, challenge, name of the solver, arrival and displayed time (ms since 1970), score of the challenge after it. */
  solves: Type.Array(Type.Tuple([Long, Id, Id, Nullable(Type.String()), Long, Long, Int])),
})
export type FeedTail = Type.Static<typeof FeedTail>

export const feed = endpoint('GET /api/game/:id/scoreboard/feed', {
  access: 'anyone',
  ours: true,
  summary: 'Get the data of the scoreboard in columns',
  params: InGame,
  query: Type.Object({ after: Type.Optional(Int) }),
  reply: Type.Union([Feed, FeedTail]),
  sends: 'stream',
  throws: ['game.not_found', 'game.not_started'],
})

const StartRow = Type.Object({
  team: Type.Object({
    id: Id,
    participationId: Id,
    name: Type.String(),
    bio: Nullable(Type.String()),
    avatar: Nullable(Type.String()),
    division: Nullable(Type.String()),
  }),
  rank: Int,
  divisionRank: Nullable(Int),
  points: Int,
  /** Number, challenge, points, index in `submissionTypes`, name of the solver, arrival and displayed time (ms since 1970). */
  solves: Type.Array(Type.Tuple([Long, Id, Int, Int, Nullable(Type.String()), Long, Long])),
})
export type StartRow = Type.Static<typeof StartRow>

/** The first screen of a large board, computed by the server and displayed until the client has computed the board from the feed. */
export const BoardStart = Type.Object({
  epoch: Long,
  head: Long,
  roster: Long,
  startsAt: Long,
  endsAt: Long,
  changedAt: Long,
  bloodBonus: Long,
  divisions: Type.Array(Type.String()),
  teamCount: Int,
  challenges: Type.Array(
    Type.Object({ id: Id, title: Type.String(), category: Category, bloodBonus: Nullable(Long), value: Int, solved: Int }),
  ),
  /** The first rows, at most a hundred. */
  rows: Type.Array(StartRow),
})
export type BoardStart = Type.Static<typeof BoardStart>

/** The row of one team; null if it is not on the board. */
export const BoardStartRow = Type.Object({ row: Nullable(StartRow) })
export type BoardStartRow = Type.Static<typeof BoardStartRow>

export const boardStart = endpoint('GET /api/game/:id/scoreboard/start', {
  access: 'anyone',
  ours: true,
  summary: 'Get the first 100 rows of the scoreboard, or the row of a team',
  params: InGame,
  query: Type.Object({ team: Type.Optional(Id) }),
  reply: Type.Union([BoardStart, BoardStartRow]),
  sends: 'stream',
  throws: ['game.not_found', 'game.not_started'],
})

export const GameDetail = Type.Object({
  challenges: byCategory(
    Type.Object({
      ...challengeOnBoard,
      type: Type.Optional(OneOf(challengeTypes)),
      originalScore: Type.Optional(Int),
      nextScore: Type.Optional(Int),
      enabledAt: Type.Optional(Nullable(DateTime)),
    }),
  ),
  challengeCount: Int,
  rank: ScoreboardItem,
  teamToken: Type.String(),
  writeupRequired: Type.Boolean(),
  writeupDeadline: DateTime,
  practiceSolves: Type.Array(Id, vexil),
  containerCountLimit: Type.Integer(vexil),
  participationId: Type.Optional(Id),
  teamCount: Type.Optional(Type.Integer(vexil)),
})
export type GameDetail = Type.Static<typeof GameDetail>

export const gameDetails = endpoint('GET /api/game/:id/details', {
  access: 'user',
  summary: 'List challenges, with your rank and team token',
  params: InGame,
  reply: GameDetail,
  sends: 'stream',
  throws: [
    'game.not_found',
    'participation.none',
    'participation.suspended',
    'participation.not_accepted',
    'game.not_started',
    'game.ended',
  ],
})

export const ChallengeDetail = Type.Object({
  id: Id,
  title: Type.String(),
  content: Type.String(),
  category: Category,
  hints: Nullable(Type.Array(Type.String())),
  score: Int,
  type: OneOf(challengeTypes),
  context: Type.Object({
    closeTime: Nullable(DateTime),
    instanceEntry: Nullable(Type.String()),
    url: Nullable(Type.String()),
    fileSize: Nullable(Long),
    readiness: Nullable(OneOf(readinesses, vexil)),
    tlsEntry: Nullable(Type.String(vexil)),
    entries: Type.Array(Entry, vexil),
    lastEnd: Nullable(Type.Object({ cause: OneOf(shownEnds), exitCode: Nullable(Int) }, vexil)),
    start: Nullable(Type.Object(StartProgress.properties, vexil)),
    startFailure: Nullable(Type.Object({ code: Type.String(), title: Type.String(), at: DateTime }, vexil)),
  }),
})
export type ChallengeDetail = Type.Static<typeof ChallengeDetail>

export const challengeDetail = endpoint('GET /api/game/:id/challenges/:cid', {
  access: 'user',
  summary: 'Get a challenge as your team sees it',
  params: InChallenge,
  reply: ChallengeDetail,
  throws: [
    'game.not_found',
    'participation.none',
    'participation.suspended',
    'participation.not_accepted',
    'game.not_started',
    'game.ended',
    'challenge.not_found',
    'challenge.attachments_exhausted',
  ],
})

export const scoreboardSheet = endpoint('GET /api/game/:id/scoreboardsheet', {
  access: 'monitor',
  summary: 'Download the scoreboard as an .xlsx file',
  params: InGame,
  sends: 'file',
  types: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  throws: ['game.unknown', 'game.not_started', 'board.not_drawn'],
})
