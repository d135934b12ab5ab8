import { checkCauses, checkStates } from '@vexil/core/checks'
import { readinesses, startPhases } from '@vexil/core/instances'
import { challengeLimits, flagLimits } from '@vexil/core/limits'
import { attachmentTypes, challengeTypes, containerStatuses } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { shownChallengeFields, takenChallengeFields } from './challenge-field-schemas.ts'
import { endpoint } from './endpoint.ts'
import {
  Category,
  DateTime,
  Filled,
  Id,
  InChallenge,
  InGame,
  Int,
  Long,
  Nullable,
  OneOf,
  OptionalText,
  says,
  vexil,
} from './shapes.ts'

export const ChallengeRow = Type.Object({
  id: Id,
  title: Type.String(),
  category: Category,
  type: OneOf(challengeTypes),
  isEnabled: Type.Boolean(),
  score: Int,
  minScore: Int,
  originalScore: Int,
  acceptedCount: Type.Integer(vexil),
  flagCount: Type.Integer(vexil),
  fileCount: Type.Integer(vexil),
  containerImage: Nullable(Type.String(vexil)),
  silentSince: Nullable(Type.String({ format: 'date-time', ...vexil })),
  checkFailsSince: Nullable(Type.String({ format: 'date-time', ...vexil })),
})
export type ChallengeRow = Type.Static<typeof ChallengeRow>

export const Attachment = Type.Object({
  id: Id,
  type: OneOf(attachmentTypes),
  url: Nullable(Type.String()),
  fileSize: Nullable(Long),
})
export type Attachment = Type.Static<typeof Attachment>

/** A DNS label, as it is part of addresses. */
const PartName = Type.String({ maxLength: challengeLimits.partNameMax, pattern: '^[a-z]([a-z0-9-]*[a-z0-9])?$' })

export const NamedPort = Type.Object({
  name: PartName,
  port: Type.Integer({ minimum: challengeLimits.portMin, maximum: challengeLimits.portMax }),
})
export type NamedPort = Type.Static<typeof NamedPort>

export const AdditionalContainer = Type.Object({
  name: PartName,
  image: Filled(challengeLimits.imageNameMax),
  cpuCount: Type.Integer({ minimum: challengeLimits.cpuMin, maximum: challengeLimits.cpuMax }),
  memoryLimit: Type.Integer({ minimum: challengeLimits.memoryMin, maximum: challengeLimits.memoryMax }),
  storageLimit: Type.Integer({ minimum: challengeLimits.storageMin, maximum: challengeLimits.storageMax }),
  environment: Type.Array(
    Type.Object({
      name: Type.String({ maxLength: challengeLimits.variableNameMax, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
      value: Type.String({ maxLength: challengeLimits.variableMax, pattern: '^[^\\r\\n]*$' }),
    }),
    { maxItems: challengeLimits.variablesMax },
  ),
  getsFlag: Type.Boolean(),
})
export type AdditionalContainer = Type.Static<typeof AdditionalContainer>

const severalContainers = {
  additionalContainers: Type.Array(AdditionalContainer, { maxItems: challengeLimits.additionalMax, ...vexil }),
  namedPorts: Type.Array(NamedPort, { maxItems: challengeLimits.namedPortsMax, ...vexil }),
}

export const Entry = Type.Object({ name: Nullable(Type.String()), entry: Type.String(), tlsEntry: Nullable(Type.String()) })
export type Entry = Type.Static<typeof Entry>

export const StartProgress = Type.Object({ phase: OneOf(startPhases), place: Nullable(Int), percent: Nullable(Int) })
export type StartProgress = Type.Static<typeof StartProgress>

export const ContainerInfo = Type.Object({
  status: OneOf(containerStatuses),
  startedAt: DateTime,
  expectStopAt: DateTime,
  entry: Type.String(),
  readiness: OneOf(readinesses, vexil),
  tlsEntry: Nullable(Type.String(vexil)),
  entries: Type.Array(Entry, vexil),
  start: Nullable(Type.Object(StartProgress.properties, vexil)),
})
export type ContainerInfo = Type.Static<typeof ContainerInfo>

export const ChallengeEditDetail = Type.Object({
  id: Id,
  title: Type.String(),
  category: Category,
  type: OneOf(challengeTypes),
  hints: Type.Array(Type.String()),
  flagTemplate: Nullable(Type.String()),
  isEnabled: Type.Boolean(),
  acceptedCount: Int,
  attachment: Nullable(Attachment),
  testContainer: Nullable(ContainerInfo),
  flags: Type.Array(Type.Object({ id: Id, flag: Type.String(), attachment: Nullable(Attachment) })),
  bloodBonus: Nullable(Long),
  ...severalContainers,
  ...shownChallengeFields,
})
export type ChallengeEditDetail = Type.Static<typeof ChallengeEditDetail>

export const editListChallenges = endpoint('GET /api/edit/games/:id/challenges', {
  access: 'admin',
  summary: 'List the challenges of a game, by id',
  params: InGame,
  reply: Type.Array(ChallengeRow),
})

export const createChallenge = endpoint('POST /api/edit/games/:id/challenges', {
  access: 'admin',
  summary: 'Create a challenge',
  params: InGame,
  body: Type.Object({
    title: Filled(challengeLimits.titleMax, 1, says({ required: 'challenge.title_missing' })),
    category: Type.Optional(Category),
    type: Type.Optional(OneOf(challengeTypes)),
  }),
  reply: ChallengeEditDetail,
  throws: ['game.not_found'],
})

export const editGetChallenge = endpoint('GET /api/edit/games/:id/challenges/:cid', {
  access: 'admin',
  summary: 'Get a challenge with all of its settings',
  params: InChallenge,
  reply: ChallengeEditDetail,
  throws: ['game.not_found', 'challenge.not_found'],
})

export const ChallengeEdit = Type.Object({
  title: OptionalText(challengeLimits.titleMax, 1),
  flagTemplate: OptionalText(flagLimits.templateMax),
  category: Type.Optional(Nullable(Category)),
  hints: Type.Optional(
    Nullable(Type.Array(Type.String({ maxLength: challengeLimits.hintMax }), { maxItems: challengeLimits.hintsMax })),
  ),
  isEnabled: Type.Optional(Nullable(Type.Boolean())),
  ...takenChallengeFields,
  bloodBonus: Type.Optional(Nullable(Long)),
  ownBloodBonus: Type.Optional(Type.Boolean(vexil)),
  additionalContainers: Type.Optional(Nullable(severalContainers.additionalContainers)),
  namedPorts: Type.Optional(Nullable(severalContainers.namedPorts)),
})
export type ChallengeEdit = Type.Static<typeof ChallengeEdit>

export const updateChallenge = endpoint('PUT /api/edit/games/:id/challenges/:cid', {
  access: 'admin',
  summary: 'Update a challenge',
  params: InChallenge,
  body: ChallengeEdit,
  bodySize: 'large',
  reply: ChallengeEditDetail,
  throws: [
    'game.not_found',
    'challenge.not_found',
    'challenge.no_flag',
    'challenge.capture_needs_container',
    'challenge.name_repeated',
    'challenge.port_repeated',
    'challenge.file_name_blank',
    'challenge.title_missing',
    'challenge.check_too_often',
    'flag.template_too_simple',
    'flag.template_expands_too_far',
  ],
})

export const deleteChallenge = endpoint('DELETE /api/edit/games/:id/challenges/:cid', {
  access: 'admin',
  summary: 'Delete a challenge and all of its data',
  params: InChallenge,
  throws: ['game.not_found', 'challenge.not_found'],
})

const AttachmentEdit = {
  attachmentType: Type.Optional(OneOf(attachmentTypes)),
  fileHash: OptionalText(64),
  remoteUrl: OptionalText(challengeLimits.urlMax),
}

export const setAttachment = endpoint('POST /api/edit/games/:id/challenges/:cid/attachment', {
  access: 'admin',
  summary: 'Set or remove the attachment of a challenge',
  params: InChallenge,
  body: Type.Object(AttachmentEdit),
  throws: [
    'game.not_found',
    'challenge.not_found',
    'attachment.belongs_to_flags',
    'attachment.file_unknown',
    'attachment.link_invalid',
  ],
})

export const addFlags = endpoint('POST /api/edit/games/:id/challenges/:cid/flags', {
  access: 'admin',
  summary: 'Add flags',
  params: InChallenge,
  body: Type.Array(
    Type.Object({
      flag: Filled(flagLimits.flagMax, 1, says({ required: 'flag.empty', tooLong: 'flag.too_long' })),
      ...AttachmentEdit,
    }),
    { maxItems: flagLimits.rowsMax },
  ),
  bodySize: 'large',
  throws: ['game.not_found', 'challenge.not_found', 'attachment.file_unknown', 'attachment.link_invalid'],
})

export const deleteFlag = endpoint('DELETE /api/edit/games/:id/challenges/:cid/flags/:fid', {
  access: 'admin',
  summary: 'Remove a flag',
  params: Type.Object({ id: Id, cid: Id, fid: Id }),
  reply: OneOf(['Success', 'NotFound']),
  throws: ['game.not_found', 'challenge.not_found'],
})

export const recount = endpoint('POST /api/edit/games/:id/challenges/updateaccepted', {
  access: 'admin',
  summary: 'Recalculate the scoreboard from the solves',
  params: InGame,
  throws: ['game.not_found'],
})

export const createTestContainer = endpoint('POST /api/edit/games/:id/challenges/:cid/container', {
  access: 'admin',
  summary: 'Start a test container',
  params: InChallenge,
  reply: ContainerInfo,
  throws: [
    'game.not_found',
    'challenge.not_found',
    'challenge.no_container',
    'challenge.image_missing',
    'container.unavailable',
    'container.not_destroyed',
    'container.already_running',
    'container.test_failed',
  ],
})

const Answer = {
  answer: OneOf(['text', 'http', 'nothing', 'unreachable']),
  firstLine: Nullable(Type.String()),
}

export const TriedContainer = Type.Object({
  ...Answer,
  printed: Nullable(Type.String()),
  ports: Type.Array(Type.Object({ name: Type.String(), ...Answer })),
  containers: Type.Array(Type.Object({ name: Type.String(), printed: Nullable(Type.String()) })),
})
export type TriedContainer = Type.Static<typeof TriedContainer>

export const tryTestContainer = endpoint('GET /api/edit/games/:id/challenges/:cid/container', {
  access: 'admin',
  ours: true,
  summary: 'Get the response and the output of the test container',
  params: InChallenge,
  reply: TriedContainer,
  throws: ['game.not_found', 'challenge.not_found', 'container.none'],
})

export const deleteTestContainer = endpoint('DELETE /api/edit/games/:id/challenges/:cid/container', {
  access: 'admin',
  summary: 'Destroy the test container',
  params: InChallenge,
  throws: ['game.not_found', 'challenge.not_found', 'container.not_destroyed'],
})

export const SolverCheck = Type.Object({
  id: Id,
  cause: OneOf(checkCauses),
  state: OneOf(checkStates),
  askedAt: DateTime,
  startedAt: Nullable(DateTime),
  endedAt: Nullable(DateTime),
  problem: Nullable(Type.String()),
})
export type SolverCheck = Type.Static<typeof SolverCheck>
export const SolverCheckDetail = Type.Object({ ...SolverCheck.properties, output: Type.String() })

export const listSolverChecks = endpoint('GET /api/edit/games/:id/challenges/:cid/checks', {
  access: 'admin',
  ours: true,
  summary: 'List solver checks of a challenge, newest first',
  params: InChallenge,
  reply: Type.Array(SolverCheck),
  throws: ['game.not_found', 'challenge.not_found'],
})

export const startSolverCheck = endpoint('POST /api/edit/games/:id/challenges/:cid/checks', {
  access: 'admin',
  ours: true,
  summary: 'Run the solver check of a challenge',
  params: InChallenge,
  reply: SolverCheckDetail,
  throws: [
    'game.not_found',
    'challenge.not_found',
    'challenge.no_container',
    'challenge.image_missing',
    'challenge.no_check',
    'container.unavailable',
  ],
})

export const getSolverCheck = endpoint('GET /api/edit/games/:id/challenges/:cid/checks/:check', {
  access: 'admin',
  ours: true,
  summary: 'Get a solver check with its output',
  params: Type.Object({ ...InChallenge.properties, check: Id }),
  reply: SolverCheckDetail,
  throws: ['game.not_found', 'challenge.not_found', 'challenge.no_check'],
})

const play = [
  'game.not_found',
  'participation.none',
  'participation.suspended',
  'participation.not_accepted',
  'game.not_started',
  'game.ended',
  'challenge.not_found',
  'challenge.no_container',
] as const

export const createContainer = endpoint('POST /api/game/:id/container/:cid', {
  access: 'user',
  limit: 'container',
  summary: 'Start an instance',
  params: InChallenge,
  reply: ContainerInfo,
  mayRespondAsync: true,
  throws: [
    ...play,
    'container.unavailable',
    'container.too_soon',
    'container.already_running',
    'container.limit_reached',
    'container.not_created',
    'container.engine_unreachable',
    'container.image_pending',
    'container.engine_busy',
  ],
})

export const extendContainer = endpoint('POST /api/game/:id/container/:cid/extend', {
  access: 'user',
  limit: 'container',
  summary: 'Extend an instance',
  params: InChallenge,
  reply: ContainerInfo,
  throws: [...play, 'container.none', 'container.too_early_to_extend'],
})

export const destroyContainer = endpoint('DELETE /api/game/:id/container/:cid', {
  access: 'user',
  limit: 'container',
  summary: 'Destroy an instance',
  params: InChallenge,
  throws: [...play, 'container.none', 'container.too_soon', 'container.not_destroyed'],
})
