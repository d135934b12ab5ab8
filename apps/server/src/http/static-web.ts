/** The built web: hashed files for a year, the page for every other address, filled with title and description and a fresh nonce. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { answerError } from './error-answer.ts'
import { RequestFault } from './faults.ts'

export interface WebOptions {
  /** Folder with index.html and assets/. */
  readonly folder: string
  /** Other sites that the page may load scripts from and talk to. */
  readonly origins: readonly string[]
  readonly head: () => Promise<{ readonly title: string; readonly description: string }>
}

/** Below these nothing is a screen. */
const ours = /^\/(?:api|hub|assets|static)(?:\/|$)/i
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => escapes[sign] as string)

const policyOf = (nonce: string, origins: string) =>
  [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${origins}`,
    "style-src 'self' 'unsafe-inline'",
    'img-src * data: blob:',
    "font-src 'self' data:",
    // The live channel too: a page's own origin includes its WebSockets.
    `connect-src 'self'${origins}`,
    'frame-src https:',
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ')

export async function serveWeb(app: FastifyInstance, { folder, origins, head }: WebOptions): Promise<void> {
  const page = join(folder, 'index.html')
  const built = existsSync(page)
  if (built) {
    await app.register(fastifyStatic, {
      root: folder,
      index: false,
      wildcard: false,
      immutable: true,
      maxAge: '7d',
      // The page itself is never served as it lies there.
      globIgnore: ['index.html'],
    })
  }
  const template = built ? readFileSync(page, 'utf8') : ''

  app.setNotFoundHandler(async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0] as string
    if (!built || ours.test(path) || !['GET', 'HEAD'].includes(request.method)) {
      return answerError(new RequestFault('request.not_found'), request, reply)
    }
    const nonce = randomBytes(16).toString('base64')
    const { title, description } = await head()
    const filled = template
      .replaceAll('%VEXIL_TITLE%', () => escapeHtml(title))
      .replaceAll('%VEXIL_DESCRIPTION%', () => escapeHtml(description))
      .replaceAll('%VEXIL_NONCE%', nonce)
      // The build's own script tag needs the nonce too.
      .replaceAll(/<script (?![^>]*nonce=)/g, `<script nonce="${nonce}" `)
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policyOf(nonce, origins.map((origin) => ` ${origin}`).join('')))
      .header('cache-control', 'no-cache')
      .send(filled)
  })
}
