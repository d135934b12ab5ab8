/** The bare HTTP application: parsers, headers, errors. Rooms are mounted by app.ts. */
import cookie from '@fastify/cookie'
import multipart from '@fastify/multipart'
import { type FastifyInstance, fastify, LogController } from 'fastify'
import { answerError } from './error-answer.ts'
import { RequestFault } from './faults.ts'
import { requestLanguage } from './language.ts'
import { isOwnOrigin } from './origin.ts'

export interface ApplicationOptions {
  readonly publicUrl: string
  /** Networks (CIDR) whose forwarding headers are believed. */
  readonly trustedProxies: readonly string[]
  readonly logLevel: string
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])
const json = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

export async function openApplication({ publicUrl, trustedProxies, logLevel }: ApplicationOptions): Promise<FastifyInstance> {
  const app = fastify({
    logger: { level: logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 512 },
    forceCloseConnections: 'idle',
    // An administrator's upload of some hundred megabytes over a slow line takes minutes.
    requestTimeout: 600_000,
    // A call that is asked for a WebSocket and does not give one answers as ever.
    http: { shouldUpgradeCallback: ({ url = '' }) => !/^\/api\//i.test(url) },
    genReqId: () => Math.random().toString(36).slice(2, 12),
  })

  app.removeAllContentTypeParsers()
  // Several bots send the JSON content type with an empty body; that is no body.
  app.addContentTypeParser(json, { parseAs: 'string' }, (_request, body, done) => {
    if ((body as string).trim() === '') return done(null, undefined)
    try {
      done(null, JSON.parse(body as string))
    } catch {
      done(new RequestFault('request.malformed'))
    }
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    const negotiates = request.url.split('?')[0]?.toLowerCase().endsWith('/negotiate')
    done((body as Buffer).length === 0 || negotiates ? null : new RequestFault('request.wrong_type'), undefined)
  })
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
  app.setErrorHandler(answerError)
  return app
}
