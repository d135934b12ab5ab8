import { gameLimits, textLimits } from '@vexil/core/limits'
import { eventTypes, noticeTypes } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { ProfileUserInfo } from './accounts.ts'
import { endpoint } from './endpoint.ts'
import { shownFields, takenFields } from './game-field-schemas.ts'
import {
  ArrayOf,
  Count,
  DateTime,
  Filled,
  Guid,
  Id,
  InGame,
  Instant,
  Int,
  Long,
  Nullable,
  OneOf,
  OptionalText,
  Page,
  Span,
  Status,
  says,
  vexil,
} from './shapes.ts'

// Players and visitors

export const BasicGame = Type.Object({
  id: Id,
  title: Type.String(),
  summary: Type.String(),
  poster: Nullable(Type.String()),
  limit: Int,
  start: DateTime,
  end: DateTime,
})
export type BasicGame = Type.Static<typeof BasicGame>

export const listGames = endpoint('GET /api/game', {
  access: 'anyone',
  summary: 'List visible games, latest start first',
  query: Page,
  reply: Type.Array(BasicGame),
})

export const DetailedGame = Type.Object({
  id: Id,
  title: Type.String(),
  summary: Type.String(),
  content: Type.String(),
  hidden: Type.Boolean(),
  organizations: Nullable(Type.Array(Type.String())),
  inviteCodeRequired: Type.Boolean(),
  writeupRequired: Type.Boolean(),
  poster: Nullable(Type.String()),
  limit: Int,
  teamCount: Int,
  organization: Nullable(Type.String()),
  teamName: Nullable(Type.String()),
  practiceMode: Type.Boolean(),
  status: Status,
  start: DateTime,
  end: DateTime,
  writeupDeadline: DateTime,
  registered: Type.Record(Type.String(), Int, vexil),
})
export type DetailedGame = Type.Static<typeof DetailedGame>

export const getGame = endpoint('GET /api/game/:id', {
  access: 'anyone',
  summary: 'Get a game and your participation',
  params: InGame,
  reply: DetailedGame,
  throws: ['game.not_found'],
})

export const joinGame = endpoint('POST /api/game/:id', {
  access: 'user',
  summary: 'Join a game with a team',
  params: InGame,
  body: Type.Object({
    teamId: Int,
    organization: OptionalText(gameLimits.divisionMax),
    inviteCode: OptionalText(gameLimits.inviteCodeMax),
  }),
  throws: [
    'game.not_found',
    'game.ended',
    'game.invite_code_wrong',
    'game.division_unknown',
    'team.not_found',
    'team.not_member',
    'participation.already_joined',
    'participation.suspended',
    'participation.division_fixed',
    'participation.member_limit',
  ],
})

export const leaveGame = endpoint('DELETE /api/game/:id', {
  access: 'user',
  summary: 'Leave a game while the participation is pending or rejected',
  params: InGame,
  throws: ['game.not_found', 'participation.none', 'participation.cannot_leave'],
})

export const GameNotice = Type.Object({
  id: Id,
  time: DateTime,
  type: OneOf(noticeTypes),
  values: Type.Array(Type.String()),
})
export type GameNotice = Type.Static<typeof GameNotice>

export const listNotices = endpoint('GET /api/game/:id/notices', {
  access: 'anyone',
  summary: 'List notices, normal ones first, then the newest',
  params: InGame,
  query: Page,
  reply: Type.Array(GameNotice),
  throws: ['game.not_found', 'game.not_started'],
})

export const GameEvent = Type.Object({
  time: DateTime,
  type: OneOf(eventTypes),
  values: Type.Array(Type.String()),
  user: Type.String(),
  team: Type.String(),
})
export type GameEvent = Type.Static<typeof GameEvent>

// Administrators

export const GameInfo = Type.Object({
  id: Id,
  title: Type.String(),
  ...shownFields,
  inviteCode: Nullable(Type.String()),
  organizations: Nullable(Type.Array(Type.String())),
  teamMemberCountLimit: Int,
  containerCountLimit: Int,
  poster: Nullable(Type.String()),
  publicKey: Type.String(),
  start: DateTime,
  end: DateTime,
  writeupDeadline: DateTime,
  bloodBonus: Long,
})
export type GameInfo = Type.Static<typeof GameInfo>

const GameEdit = Type.Object({
  title: Filled(gameLimits.titleMax, 1, says({ required: 'game.title_missing' })),
  ...takenFields,
  inviteCode: OptionalText(gameLimits.inviteCodeMax),
  organizations: Type.Optional(
    Nullable(Type.Array(Type.String({ maxLength: gameLimits.divisionMax }), { maxItems: gameLimits.divisionsMax })),
  ),
  teamMemberCountLimit: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
  containerCountLimit: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
  start: Type.Optional(Instant),
  end: Type.Optional(Instant),
  writeupDeadline: Type.Optional(Instant),
  bloodBonus: Type.Optional(Long),
})
export type GameEdit = Type.Static<typeof GameEdit>

export const editListGames = endpoint('GET /api/edit/games', {
  access: 'admin',
  summary: 'List all games, newest first',
  query: Page,
  reply: ArrayOf(GameInfo),
})

export const createGame = endpoint('POST /api/edit/games', {
  access: 'admin',
  summary: 'Create a game',
  body: GameEdit,
  bodySize: 'large',
  reply: GameInfo,
  throws: ['game.times_missing', 'game.times_invalid', 'game.division_reserved'],
})

export const editGetGame = endpoint('GET /api/edit/games/:id', {
  access: 'admin',
  summary: 'Get a game with all of its settings',
  params: InGame,
  reply: GameInfo,
  throws: ['game.not_found'],
})

export const updateGame = endpoint('PUT /api/edit/games/:id', {
  access: 'admin',
  summary: 'Update a game',
  params: InGame,
  body: GameEdit,
  bodySize: 'large',
  reply: GameInfo,
  throws: ['game.not_found', 'game.times_invalid', 'game.division_reserved'],
})

export const deleteGame = endpoint('DELETE /api/edit/games/:id', {
  access: 'admin',
  summary: 'Delete a game and all of its data',
  params: InGame,
  throws: ['game.not_found'],
})

export const gameHashSalt = endpoint('GET /api/edit/games/:id/hashsalt', {
  access: 'admin',
  summary: 'Get the salt of team hashes, for flag generators outside of the platform',
  params: InGame,
  reply: Type.String(),
  throws: ['game.not_found'],
})

export const gamePoster = endpoint('PUT /api/edit/games/:id/poster', {
  access: 'admin',
  summary: 'Set the poster of a game',
  params: InGame,
  upload: 'file',
  reply: Type.String(),
  throws: ['game.not_found', 'file.missing', 'file.empty', 'file.too_large', 'file.image_invalid', 'file.disk_full'],
})

const NoticeEdit = Type.Object({ content: Filled(textLimits.noticeMax, 1, says({ required: 'notice.empty' })) })
const InNotice = Type.Object({ id: Id, nid: Id })

export const editListNotices = endpoint('GET /api/edit/games/:id/notices', {
  access: 'admin',
  summary: 'List normal notices, newest first',
  params: InGame,
  reply: Type.Array(GameNotice),
  throws: ['game.not_found'],
})

export const addNotice = endpoint('POST /api/edit/games/:id/notices', {
  access: 'admin',
  summary: 'Publish a notice',
  params: InGame,
  body: NoticeEdit,
  reply: GameNotice,
  throws: ['game.not_found'],
})

export const updateNotice = endpoint('PUT /api/edit/games/:id/notices/:nid', {
  access: 'admin',
  summary: 'Update a normal notice',
  params: InNotice,
  body: NoticeEdit,
  reply: GameNotice,
  throws: ['game.not_found', 'notice.not_found', 'notice.automatic'],
})

export const deleteNotice = endpoint('DELETE /api/edit/games/:id/notices/:nid', {
  access: 'admin',
  summary: 'Delete a normal notice',
  params: InNotice,
  throws: ['game.not_found', 'notice.not_found', 'notice.automatic'],
})

export const ParticipationInfo = Type.Object({
  id: Id,
  team: Type.Object({
    id: Id,
    name: Nullable(Type.String()),
    bio: Nullable(Type.String()),
    avatar: Nullable(Type.String()),
    locked: Type.Boolean(),
    captainId: Guid,
    members: Nullable(Type.Array(ProfileUserInfo)),
  }),
  registeredMembers: Type.Array(Guid),
  organization: Nullable(Type.String()),
  status: Status,
})
export type ParticipationInfo = Type.Static<typeof ParticipationInfo>

export const listParticipations = endpoint('GET /api/game/:id/participations', {
  access: 'admin',
  summary: 'List participations, by team',
  params: InGame,
  reply: Type.Array(ParticipationInfo),
  throws: ['game.unknown'],
})

export const setParticipation = endpoint('PUT /api/admin/participation/:id/:status', {
  access: 'admin',
  summary: 'Set the status of a participation',
  params: Type.Object({ id: Id, status: Type.String({ maxLength: 32 }) }),
  throws: ['participation.not_found', 'participation.status_unknown'],
})

// Monitors

export const listEvents = endpoint('GET /api/game/:id/events', {
  access: 'monitor',
  summary: 'List events, newest first',
  params: InGame,
  query: Type.Object({
    hideContainer: Type.Optional(Type.Boolean()),
    count: Count,
    skip: Type.Optional(Int),
    ...Span,
  }),
  reply: Type.Array(GameEvent),
  throws: ['game.not_found', 'game.not_started'],
})
