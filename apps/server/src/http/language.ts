/** The language of an answer: `culture` in the query, otherwise Accept-Language, otherwise English. */
import { type Language, languages } from '@vexil/core/vocabulary'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { varyBy } from './compress.ts'

/** Parses a code in any spelling (`zh`, `zh-TW`, `zh_CN`, `JA-jp`); null if unsupported. */
function languageOf(code: string): Language | null {
  const first = code.trim().toLowerCase().split(/[-_]/)[0]
  return languages.find((language) => language.slice(0, 2) === first) ?? null
}

/** Cache: browsers send few different headers. */
const accepted = new Map<string, Language>()
const acceptedMost = 1000

/** The supported language with the highest weight in an Accept-Language header. */
export function acceptedLanguage(header: string | undefined): Language {
  if (!header) return 'en_US'
  const key = header.slice(0, 512)
  const known = accepted.get(key)
  if (known) return known
  const wanted = new Negotiator({ headers: { 'accept-language': key } }).languages()
  const language = wanted.map(languageOf).find((one) => one !== null) ?? 'en_US'
  if (accepted.size >= acceptedMost) accepted.clear()
  accepted.set(key, language)
  return language
}

export function requestLanguage(request: FastifyRequest): Language {
  const query = request.query as Record<string, unknown>
  const named = query?.culture ?? query?.['ui-culture']
  return (typeof named === 'string' && languageOf(named)) || acceptedLanguage(request.headers['accept-language'])
}

export function answerLanguage(request: FastifyRequest, reply: FastifyReply): Language {
  varyBy(reply, 'Accept-Language')
  return requestLanguage(request)
}
