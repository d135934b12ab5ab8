/** `/api/openapi.json` and its page `/api/docs`, without login. */
import { createHash } from 'node:crypto'
import { openApi } from '@vexil/contract/openapi'
import * as pages from '@vexil/contract/pages'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readVersion } from '../read-version.ts'
import { isHeld } from './conditional.ts'
import { docsPage } from './docs-page.ts'
import { type Http, route } from './route.ts'

const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Builds both at the first request. `cookie`: the name of the session cookie. */
export function descriptionRoutes(http: Http, cookie: string): void {
  let made: { json: Buffer; page: Buffer } | null = null
  const make = () => {
    if (made) return made
    const version = readVersion()
    const document = openApi(version, cookie)
    made = { json: Buffer.from(JSON.stringify(document)), page: Buffer.from(docsPage(document)) }
    return made
  }
  const send = (request: FastifyRequest, reply: FastifyReply, type: string, bytes: Buffer) => {
    const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`
    reply.header('cache-control', 'no-cache')
    return isHeld(request, reply, etag) ? reply.send() : reply.type(type).send(bytes)
  }
  route(http, pages.description, async ({ request, reply }) =>
    send(request, reply, 'application/json; charset=utf-8', make().json),
  )
  route(http, pages.descriptionPage, async ({ request, reply }) =>
    send(request, reply.header('content-security-policy', policy), 'text/html; charset=utf-8', make().page),
  )
}
