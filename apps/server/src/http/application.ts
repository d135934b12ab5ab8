/** The bare HTTP application: parsers, headers, errors. Rooms are mounted by app.ts. */
import cookie from '@fastify/cookie'
import multipart from '@fastify/multipart'
import { type FastifyInstance, fastify, LogController } from 'fastify'
import { compressAnswers } from './compress.ts'
import { answerError } from './error-answer.ts'
import { RequestFault } from './faults.ts'
import { takeBodies } from './json-body.ts'
import { requestLanguage } from './language.ts'
import { isOwnOrigin } from './origin.ts'
import { closeUnread, connectionTimes } from './slow-clients.ts'

export interface ApplicationOptions {
  readonly publicUrl: string
  /** Networks (CIDR) whose forwarding headers are believed. */
  readonly trustedProxies: readonly string[]
  readonly logLevel: string
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

export async function openApplication({ publicUrl, trustedProxies, logLevel }: ApplicationOptions): Promise<FastifyInstance> {
  const app = fastify({
    logger: { level: logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 512 },
    forceCloseConnections: 'idle',
    ...connectionTimes,
    // A call that is asked for a WebSocket and does not give one answers as ever.
    http: { ...connectionTimes.http, shouldUpgradeCallback: ({ url = '' }) => !/^\/api\//i.test(url) },
    genReqId: () => Math.random().toString(36).slice(2, 12),
  })

  takeBodies(app)
  closeUnread(app)
  await app.register(cookie)
  await app.register(multipart, { throwFileSizeLimit: false, limits: { fileSize: 500_000_000, files: 1000, parts: 1100 } })

  // First of all, so that answers which leave the usual way carry them too.
  app.addHook('onRequest', async (request, reply) => {
    if (/^\/api\//i.test(request.url)) reply.header('content-language', requestLanguage(request).replace('_', '-'))
    reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'same-origin').header('x-frame-options', 'DENY')
    if (publicUrl.startsWith('https:')) reply.header('strict-transport-security', 'max-age=31536000')
  })
  app.addHook('onRequest', async (request) => {
    if (!reading.has(request.method) && !isOwnOrigin(request.headers, publicUrl)) throw new RequestFault('request.foreign_origin')
  })
  compressAnswers(app)
  app.setErrorHandler(answerError)
  return app
}
