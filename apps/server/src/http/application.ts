/** The HTTP application without routes: parsers, headers, errors. app.ts mounts the routes. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import cookie from '@fastify/cookie'
import multipart from '@fastify/multipart'
import websocket from '@fastify/websocket'
import { endpoints } from '@vexil/contract/endpoint'
import { hubs } from '@vexil/contract/hubs'
import { webPage } from '@vexil/contract/pages'
import { hubLimits, tunnelLimits } from '@vexil/core/limits'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, LogController, type RouteOptions } from 'fastify'
import { type LogOptions, loggerOptions } from '../log-lines.ts'
import { compressAnswers } from './compress.ts'
import { answerErrors, type FaultRecord } from './error-answer.ts'
import { takeBodies } from './json-body.ts'
import { requestLanguage } from './language.ts'
import { openMethods } from './methods.ts'
import { isOwnOrigin } from './origin.ts'
import { apart, type OtherHosts } from './other-hosts.ts'
import { pathMax, pathOf } from './path.ts'
import { RequestError } from './request-errors.ts'
import { requestIds } from './request-id.ts'
import { followRequests } from './request-times.ts'
import { closeUnread, connectionTimes } from './slow-clients.ts'
import { isScreen } from './static-web.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request comes from a page of another site: its cookies are ignored. */
    isForeign: boolean
  }
}

export interface ApplicationOptions {
  readonly publicUrl: string
  /** Networks (CIDR) whose forwarding headers are trusted. */
  readonly trustedProxies: readonly string[]
  readonly log: LogOptions
  readonly record?: FaultRecord
  readonly otherHosts?: OtherHosts | null
}

const permissions = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
]
  .map((name) => `${name}=()`)
  .join(', ')

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

const hubPaths = new Set<string>(hubs.map(({ path }) => path))

/** Only WebSocket paths, hubs and tunnels upgrade; elsewhere the upgrade header is ignored. */
function isUpgrade(request: IncomingMessage): boolean {
  const path = pathOf(request.url ?? '')
    .toLowerCase()
    .replace(/\/$/, '')
  return isWebSocket(request) && (hubPaths.has(path) || path.startsWith('/api/proxy/'))
}

const allowedMethods = openMethods(endpoints.filter((endpoint) => endpoint !== webPage))

const wrongMethod = (reply: FastifyReply, allow: string): RequestError => {
  reply.header('allow', allow)
  return new RequestError('request.method_not_allowed')
}

const isWebSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/** Fails the start unless every route was bound by route.ts or serves a file of the built web. */
function mustUseRoute(app: FastifyInstance): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (options) => void routes.push(options))
  app.addHook('onReady', async () => {
    const unbound = routes.find(({ config }) => !config?.endpoint && !config?.builtFile)
    if (unbound) throw new Error(`${unbound.method} ${unbound.url} is not bound by route()`)
  })
}

/** Ends sockets that do not become a WebSocket in time, such as those of refused upgrades: Node no longer limits them. */
function endFailedUpgrades({ server, websocketServer }: FastifyInstance): void {
  const late = new WeakMap<Duplex, NodeJS.Timeout>()
  server.on('upgrade', (_request, socket) => {
    const timer = setTimeout(() => socket.destroy(), hubLimits.handshakeWithin).unref()
    late.set(socket, timer)
    socket.once('close', () => clearTimeout(timer))
  })
  websocketServer.on('connection', (_socket, request) => clearTimeout(late.get(request.socket)))
}

/** The headers of every answer. */
function addHeaders(request: FastifyRequest, reply: FastifyReply, publicUrl: string): void {
  if (/^\/api\//i.test(request.url)) reply.header('content-language', requestLanguage(request).replace('_', '-'))
  reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'same-origin').header('x-frame-options', 'DENY')
  reply.header('permissions-policy', permissions).header('cross-origin-opener-policy', 'same-origin')
  // Other sites may embed the pictures of a game.
  if (!/^\/assets\//i.test(request.url)) reply.header('cross-origin-resource-policy', 'same-origin')
  if (publicUrl.startsWith('https:')) reply.header('strict-transport-security', 'max-age=31536000')
}

export async function openApplication({
  publicUrl,
  trustedProxies,
  log,
  record = { refusal: () => false, fault: () => undefined },
  otherHosts,
}: ApplicationOptions): Promise<FastifyInstance> {
  const mayUpgrade = (request: IncomingMessage) =>
    otherHosts?.matches(request.headers.host) ? isWebSocket(request) : isUpgrade(request)
  const refuse = answerErrors(record)
  const app = fastify({
    logger: loggerOptions(log),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 512 },
    forceCloseConnections: 'idle',
    ...connectionTimes,
    http: { ...connectionTimes.http, shouldUpgradeCallback: mayUpgrade },
    ...(otherHosts && { serverFactory: apart(otherHosts) }),
    genReqId: requestIds(trustedProxies),
    // One logger for all requests; it adds their ids.
    childLoggerFactory: (logger) => logger,
    // Malformed and long paths are refused before any hook.
    frameworkErrors(error, request, reply) {
      reply.header('x-request-id', request.id)
      addHeaders(request, reply, publicUrl)
      refuse(error, request, reply)
    },
  })

  mustUseRoute(app)
  takeBodies(app)
  closeUnread(app)
  // Node removes its own listener at an upgrade; a reset at that moment would be an unhandled error.
  app.server.on('connection', (socket) => socket.on('error', () => socket.destroy()))
  await app.register(websocket, {
    // live.ts and tunnel.ts send pongs, since they check the send buffer. live.ts enforces the smaller limit of hub messages.
    options: { maxPayload: tunnelLimits.messageBytes, perMessageDeflate: false, autoPong: false, clientTracking: false },
    errorHandler: (_error, socket) => socket.terminate(),
    preClose: (done) => done(),
  })
  endFailedUpgrades(app)
  await app.register(cookie)
  await app.register(multipart, { throwFileSizeLimit: false, limits: { files: 1000, parts: 1100 } })

  // The first hooks, so that every answer has these headers.
  followRequests(app)
  app.addHook('onRequest', (request, reply, done) => {
    addHeaders(request, reply, publicUrl)
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (pathOf(request.url).length > pathMax) return done(new RequestError('request.address_too_long'))
    const endpoint = request.routeOptions.config.endpoint
    if (request.is404 || endpoint === webPage) {
      const allow = allowedMethods(pathOf(request.url))
      // A call with this method and path matched no route: a part of the path is longer than `maxParamLength`.
      if (allow?.split(', ').includes(request.method)) return done(new RequestError('request.address_too_long'))
      if (allow !== null) return done(wrongMethod(reply, allow))
      if (request.is404)
        return done(isScreen(pathOf(request.url)) ? wrongMethod(reply, 'GET, HEAD') : new RequestError('request.not_found'))
    }
    const changes = !reading.has(request.method) || request.ws
    request.isForeign = changes && !isOwnOrigin(request.headers, publicUrl)
    if (request.isForeign && !endpoint?.shape.foreignOrigins) return done(new RequestError('request.foreign_origin'))
    done()
  })
  compressAnswers(app)
  // A shared cache must not keep the cookie of a session, whatever the call says about its answer.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (reply.hasHeader('set-cookie')) reply.header('cache-control', 'no-cache, no-store').header('pragma', 'no-cache')
    done()
  })
  app.setErrorHandler(refuse)
  return app
}
