import { readinesses } from '@vexil/core/instances'
import { challengeLimits } from '@vexil/core/limits'
import { challengeCategories, containerNetworks, isolationResults, isolationTargets } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { ContainerInfo } from './challenges.ts'
import { endpoint } from './endpoint.ts'
import { ArrayOf, DateTime, Filled, Guid, Id, InGame, Int, Long, Nullable, OneOf, vexil } from './shapes.ts'

export const ContainerInstance = Type.Object({
  team: Nullable(Type.Object({ id: Id, name: Type.String(), avatar: Nullable(Type.String()) })),
  challenge: Nullable(Type.Object({ id: Id, title: Type.String(), category: OneOf(challengeCategories) })),
  image: Type.String(),
  containerGuid: Guid,
  containerId: Type.String(),
  startedAt: DateTime,
  expectStopAt: DateTime,
  ip: Type.String(),
  port: Int,
  readiness: OneOf(readinesses, vexil),
})
export type ContainerInstance = Type.Static<typeof ContainerInstance>

export const listInstances = endpoint('GET /api/admin/instances', {
  access: 'admin',
  summary: 'List instances of all teams, oldest first',
  reply: ArrayOf(ContainerInstance),
})

export const destroyInstance = endpoint('DELETE /api/admin/instances/:guid', {
  access: 'admin',
  summary: 'Destroy an instance',
  params: Type.Object({ guid: Guid }),
  throws: ['instance.not_found', 'container.not_destroyed'],
})

export const EngineStatus = Type.Object({
  kind: Type.String(),
  state: OneOf(['none', 'reachable', 'unreachable', 'silent']),
  reason: Nullable(Type.String()),
  version: Nullable(Type.String()),
  limitsStorage: Nullable(Type.Boolean()),
  isolation: Nullable(Type.String()),
  credentialsUntil: Nullable(DateTime),
  running: Nullable(Int),
  images: Nullable(Int),
  memory: Nullable(Type.Object({ total: Long, free: Nullable(Long) })),
  disk: Nullable(Type.Object({ total: Long, free: Long })),
})
export type EngineStatus = Type.Static<typeof EngineStatus>

export const engineStatus = endpoint('GET /api/admin/engine', {
  access: 'admin',
  ours: true,
  summary: 'Get the state of the container engine',
  reply: EngineStatus,
})

export const IsolationAttempt = Type.Object({
  network: OneOf(containerNetworks),
  target: OneOf(isolationTargets),
  address: Type.String(),
  port: Int,
  result: OneOf(isolationResults),
})
export type IsolationAttempt = Type.Static<typeof IsolationAttempt>

export const IsolationProbe = Type.Object({
  state: OneOf(['none', 'never', 'running', 'done']),
  finishedAt: Nullable(DateTime),
  problem: Nullable(Type.String()),
  attempts: Type.Array(IsolationAttempt),
})
export type IsolationProbe = Type.Static<typeof IsolationProbe>

export const isolationProbe = endpoint('GET /api/admin/engine/isolation', {
  access: 'admin',
  ours: true,
  summary: 'Get the result of the last isolation test',
  reply: IsolationProbe,
})

export const startIsolationProbe = endpoint('POST /api/admin/engine/isolation', {
  access: 'admin',
  ours: true,
  summary: 'Run the isolation test',
  reply: IsolationProbe,
  throws: ['container.unavailable'],
})

export const lookUpImage = endpoint('GET /api/admin/engine/image', {
  access: 'admin',
  ours: true,
  summary: 'Check whether an image is available',
  query: Type.Object({ name: Filled(challengeLimits.imageNameMax) }),
  reply: Type.Object({
    found: OneOf(['here', 'registry', 'missing', 'silent']),
    reason: Nullable(Type.String()),
  }),
  throws: ['container.unavailable', 'container.engine_unreachable'],
})

export const GameImage = Type.Object({
  image: Type.String(),
  challenges: Type.Array(Type.Object({ id: Id, title: Type.String() })),
  state: OneOf(['waiting', 'pulling', 'done']),
  pulledAt: Nullable(DateTime),
  nodes: Type.Array(
    Type.Object({ node: Type.String(), state: OneOf(['here', 'pulling', 'failed']), problem: Nullable(Type.String()) }),
  ),
})
export type GameImage = Type.Static<typeof GameImage>

const gameImagesCall = { access: 'admin', ours: true, params: InGame, reply: Type.Array(GameImage) } as const

export const gameImages = endpoint('GET /api/edit/games/:id/images', {
  ...gameImagesCall,
  summary: 'List images of enabled challenges and the engine nodes without them',
  throws: ['game.not_found'],
})

export const pullGameImages = endpoint('POST /api/edit/games/:id/images', {
  ...gameImagesCall,
  summary: 'Pull images of enabled challenges to every engine node',
  throws: ['game.not_found', 'container.unavailable'],
})

const MyInstance = Type.Object({ ...ContainerInfo.properties, challengeId: Id })
export type MyInstance = Type.Static<typeof MyInstance>

export const myInstances = endpoint('GET /api/game/:id/instances', {
  access: 'user',
  ours: true,
  summary: 'List running instances of your team in a game',
  params: InGame,
  reply: Type.Array(MyInstance),
  throws: ['game.not_found', 'participation.none'],
})

export const silentChallenges = endpoint('GET /api/game/:id/silent', {
  access: 'monitor',
  ours: true,
  summary: 'List enabled challenges with an instance that did not accept connections in time',
  params: InGame,
  reply: Type.Array(Type.Object({ challengeId: Id, title: Type.String(), port: Int, since: DateTime })),
  throws: ['game.not_found'],
})

export const failingChecks = endpoint('GET /api/game/:id/checks', {
  access: 'monitor',
  ours: true,
  summary: 'List enabled challenges with repeated failures of the solver check',
  params: InGame,
  reply: Type.Array(Type.Object({ challengeId: Id, title: Type.String(), since: DateTime })),
  throws: ['game.not_found'],
})

export const forwardNode = endpoint('GET /forward.mjs', {
  access: 'anyone',
  ours: true,
  summary: 'Download the port forwarder for Node',
  sends: 'file',
  types: ['text/javascript'],
})

export const forwardPython = endpoint('GET /forward.py', {
  access: 'anyone',
  ours: true,
  summary: 'Download the port forwarder for Python',
  sends: 'file',
  types: ['text/x-python'],
})

const TryFirst = Type.Object({ connect: Type.Optional(Type.Boolean(vexil)) })

export const proxyInstance = endpoint('GET /api/proxy/:guid', {
  access: 'anyone',
  summary: 'Connect to an instance through a WebSocket',
  params: Type.Object({ guid: Guid }),
  query: TryFirst,
  sends: 'socket',
  foreignOrigins: true,
  throws: [
    'proxy.off',
    'proxy.not_found',
    'proxy.too_many_connections',
    'proxy.address_unknown',
    'proxy.node_stopping',
    'proxy.unreachable',
  ],
})

export const proxyTestContainer = endpoint('GET /api/proxy/noinst/:guid', {
  access: 'anyone',
  summary: 'Connect to a test container through a WebSocket',
  params: Type.Object({ guid: Guid }),
  query: TryFirst,
  sends: 'socket',
  foreignOrigins: true,
  throws: ['proxy.off', 'proxy.not_found', 'proxy.address_unknown', 'proxy.node_stopping', 'proxy.unreachable'],
})

const NamedTarget = Type.Object({ guid: Guid, name: Type.String({ maxLength: challengeLimits.partNameMax }) })

export const proxyNamedPort = endpoint('GET /api/proxy/:guid/:name', {
  ...{ access: 'anyone', ours: true, query: TryFirst, sends: 'socket', foreignOrigins: true },
  summary: 'Connect to a named port of an instance through a WebSocket',
  params: NamedTarget,
  throws: [
    'proxy.off',
    'proxy.not_found',
    'proxy.too_many_connections',
    'proxy.address_unknown',
    'proxy.node_stopping',
    'proxy.unreachable',
  ],
})

export const proxyNamedTestPort = endpoint('GET /api/proxy/noinst/:guid/:name', {
  ...{ access: 'anyone', ours: true, query: TryFirst, sends: 'socket', foreignOrigins: true },
  summary: 'Connect to a named port of a test container through a WebSocket',
  params: NamedTarget,
  throws: ['proxy.off', 'proxy.not_found', 'proxy.address_unknown', 'proxy.node_stopping', 'proxy.unreachable'],
})
