/** The language of an answer: `culture` in the query, else Accept-Language, else English. */
import { type Language, languages } from '@vexil/core/vocabulary'
import type { FastifyRequest } from 'fastify'

/** Reads one code in any spelling (`zh`, `zh-TW`, `zh_CN`, `JA-jp`); null when it is none of ours. */
export function languageOf(code: string): Language | null {
  const first = code.trim().toLowerCase().split(/[-_]/)[0]
  return languages.find((language) => language.slice(0, 2) === first) ?? null
}

/** Best of an Accept-Language header by its weights. */
export function acceptedLanguage(header: string | undefined): Language {
  let best: Language = 'en_US'
  let weight = 0
  for (const part of (header ?? '').slice(0, 512).split(',')) {
    const [code = '', ...options] = part.split(';')
    const q = Number(
      options
        .find((option) => option.trim().startsWith('q='))
        ?.trim()
        .slice(2) ?? 1,
    )
    const language = languageOf(code)
    if (language && q > weight) {
      best = language
      weight = q
    }
  }
  return best
}

export function requestLanguage(request: FastifyRequest): Language {
  const query = request.query as Record<string, unknown>
  const named = query?.culture ?? query?.['ui-culture']
  return (typeof named === 'string' && languageOf(named)) || acceptedLanguage(request.headers['accept-language'])
}
