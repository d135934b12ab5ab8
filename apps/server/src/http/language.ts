/** The language of an answer: `culture` in the query, else Accept-Language, else English. */
import { type Language, languages } from '@vexil/core/vocabulary'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { varyBy } from './compress.ts'

/** Reads one code in any spelling (`zh`, `zh-TW`, `zh_CN`, `JA-jp`); null when it is none of ours. */
function languageOf(code: string): Language | null {
  const first = code.trim().toLowerCase().split(/[-_]/)[0]
  return languages.find((language) => language.slice(0, 2) === first) ?? null
}

/** Browsers send a few different headers, and many times each. */
const accepted = new Map<string, Language>()
const acceptedMost = 1000

/** The first of ours in an Accept-Language header by its weights. */
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

/** For an answer whose text depends on the language, which caches have to know. */
export function answerLanguage(request: FastifyRequest, reply: FastifyReply): Language {
  varyBy(reply, 'Accept-Language')
  return requestLanguage(request)
}
