/** `/api/openapi.json` for programs and `/api/docs` for people: the same description, open to everybody. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { openApi } from '@vexil/contract/openapi'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { docsPage } from './docs-page.ts'

const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Both are made when first asked for. `cookie`: the name of the session cookie. */
export function serveDescription(app: FastifyInstance, cookie: string): void {
  let made: { json: Buffer; page: Buffer } | null = null
  const make = () => {
    if (made) return made
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const document = openApi(version, cookie)
    made = { json: Buffer.from(JSON.stringify(document)), page: Buffer.from(docsPage(document)) }
    return made
  }
  const send = (request: FastifyRequest, reply: FastifyReply, type: string, bytes: Buffer) => {
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`
    reply.header('cache-control', 'no-cache').header('etag', etag)
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type(type).send(bytes)
  }
  app.get('/api/openapi.json', async (request, reply) => send(request, reply, 'application/json; charset=utf-8', make().json))
  app.get('/api/docs', async (request, reply) =>
    send(request, reply.header('content-security-policy', policy), 'text/html; charset=utf-8', make().page),
  )
}
