import { flagLimits } from '@vexil/core/limits'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { AnswerResult, DateTime, Filled, Id, InChallenge, InGame, Int, Nullable, Span, Status, says } from './shapes.ts'

export const Submission = Type.Object({
  answer: Type.String(),
  status: AnswerResult,
  time: DateTime,
  user: Type.String(),
  team: Type.String(),
  challenge: Type.String(),
})
export type Submission = Type.Static<typeof Submission>

export const submitFlag = endpoint('POST /api/game/:id/challenges/:cid', {
  access: 'user',
  limit: 'submit',
  testsSession: true,
  summary: 'Submit a flag',
  params: InChallenge,
  body: Type.Object({ flag: Filled(flagLimits.flagMax, 1, says({ required: 'flag.empty', tooLong: 'flag.too_long' })) }),
  reply: Int,
  throws: [
    'game.not_found',
    'participation.none',
    'participation.suspended',
    'participation.not_accepted',
    'game.not_started',
    'game.ended',
    'challenge.not_found',
    'submission.busy',
  ],
})

export const submissionStatus = endpoint('GET /api/game/:id/challenges/:cid/status/:sid', {
  access: 'user',
  summary: 'Get the result of a submission of your team',
  params: Type.Object({ id: Id, cid: Id, sid: Id }),
  reply: AnswerResult,
  throws: ['submission.not_found'],
})

export const activity = endpoint('GET /api/game/:id/activity', {
  access: 'monitor',
  ours: true,
  summary: 'Count correct and wrong submissions in intervals of five minutes',
  params: InGame,
  reply: Type.Array(Type.Object({ from: DateTime, right: Int, wrong: Int })),
  throws: ['game.not_found', 'game.not_started'],
})

export const Try = Type.Object({ answer: Type.String(), status: AnswerResult, time: DateTime, user: Nullable(Type.String()) })
export type Try = Type.Static<typeof Try>

export const ownTries = endpoint('GET /api/game/:id/challenges/:cid/tries', {
  access: 'user',
  summary: 'List the answers of your team to a challenge, newest first',
  params: InChallenge,
  reply: Type.Array(Try),
  secret: true,
  throws: ['game.not_found', 'participation.none'],
  ours: true,
})

export const listSubmissions = endpoint('GET /api/game/:id/submissions', {
  access: 'monitor',
  summary: 'List submissions, newest first',
  params: InGame,
  query: Type.Object({
    type: Type.Optional(AnswerResult),
    // 0 and less request all rows, for existing tools.
    count: Type.Optional(Int),
    skip: Type.Optional(Int),
    ...Span,
  }),
  reply: Type.Array(Submission),
  secret: true,
  throws: ['game.not_found', 'game.not_started'],
})

const PartRef = Type.Object({
  id: Id,
  team: Type.Object({ id: Id, name: Type.String(), avatar: Nullable(Type.String()) }),
  status: Status,
  organization: Nullable(Type.String()),
})

export const CheatInfo = Type.Object({ ownedTeam: PartRef, submitTeam: PartRef, submission: Submission })
export type CheatInfo = Type.Static<typeof CheatInfo>

export const listCheats = endpoint('GET /api/game/:id/cheatinfo', {
  access: 'monitor',
  summary: 'List submissions of flags of other teams, newest first',
  params: InGame,
  reply: Type.Array(CheatInfo),
  secret: true,
  throws: ['game.not_found', 'game.not_started'],
})

export const submissionSheet = endpoint('GET /api/game/:id/submissionsheet', {
  access: 'monitor',
  summary: 'Download all submissions as an .xlsx file',
  params: InGame,
  sends: 'stream',
  types: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  throws: ['game.unknown', 'game.not_started'],
})
