/** The built web: hashed files cached for a week, and for every other address the page with title, description and a new nonce. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import { webPage } from '@vexil/contract/pages'
import { escapeHtml } from '../escape-html.ts'
import { pathOf } from './path.ts'
import { RequestError } from './request-errors.ts'
import { type Http, route } from './route.ts'

export interface WebOptions {
  readonly folder: string
  /** Other sites that the page may load scripts from and connect to. */
  readonly origins: () => readonly string[]
  /** `name` of the site, `title` of browser tabs. */
  readonly head: () => Promise<{ readonly name: string; readonly title: string; readonly description: string }>
  /** Pages reserve the room of the demo's bar before its code is loaded. */
  readonly isDemo: boolean
}

/** File names contain a dot; an unknown file is not a screen. */
const isFileName = (path: string): boolean => path.includes('.', path.lastIndexOf('/') + 1)
const reserved = /^\/(?:api|hub|assets|static)(?:\/|$)/i

export const isScreen = (path: string): boolean => !reserved.test(path) && !isFileName(path)

const policyOf = (nonce: string, origins: string) =>
  [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${origins}`,
    "style-src 'self' 'unsafe-inline'",
    'img-src * data: blob:',
    "font-src 'self' data:",
    `connect-src 'self'${origins}`,
    `frame-src ${origins.trim() || "'none'"}`,
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ')

export async function webRoutes(http: Http, { folder, origins, head, isDemo }: WebOptions): Promise<void> {
  const page = join(folder, 'index.html')
  const built = existsSync(page)
  if (built) {
    await http.app.register(async (files) => {
      files.addHook('onRoute', (options) => {
        options.config = { ...options.config, builtFile: true }
      })
      await files.register(fastifyStatic, {
        root: folder,
        index: false,
        wildcard: false,
        immutable: true,
        maxAge: '7d',
        // The build adds compressed files.
        preCompressed: true,
        // The page is never served unchanged.
        globIgnore: ['index.html', '**/*.{br,gz}'],
      })
    })
  }
  const template = built ? readFileSync(page, 'utf8') : ''

  route(http, webPage, async ({ request, reply }) => {
    const path = pathOf(request.url)
    if (!built || !isScreen(path)) throw new RequestError('request.not_found')
    const nonce = randomBytes(16).toString('base64')
    const { name, title, description } = await head()
    const filled = template
      .replaceAll('%VEXIL_TITLE%', () => escapeHtml(title))
      .replaceAll('%VEXIL_NAME%', () => escapeHtml(name))
      .replaceAll('%VEXIL_DESCRIPTION%', () => escapeHtml(description))
      .replaceAll('%VEXIL_NONCE%', nonce)
      .replaceAll('%VEXIL_DEMO%', String(isDemo))
      // The build's own script tag needs the nonce too.
      .replaceAll(/<script (?![^>]*nonce=)/g, `<script nonce="${nonce}" `)
    return reply
      .type('text/html; charset=utf-8')
      .header(
        'content-security-policy',
        policyOf(
          nonce,
          origins()
            .map((origin) => ` ${origin}`)
            .join(''),
        ),
      )
      .header('cache-control', 'no-cache')
      .send(filled)
  })
}
