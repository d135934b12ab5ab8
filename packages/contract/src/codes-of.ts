/** Error codes of each call. The API description publishes this list; the error tables of the server's tests verify it. */
import type { Endpoint } from './endpoint.ts'
import type { ErrorCode } from './errors.ts'

/** Codes of fields: a schema may name the rule that an invalid value breaks (`x-rules`, see `says` in shapes.ts). */
function rulesIn(schema: unknown): ErrorCode[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'x-rules' ? (Object.values(value as object) as ErrorCode[]) : rulesIn(value),
  )
}

/** Codes that follow from parameters, body, access and limits. */
export function generalCodes({ method, shape }: Endpoint): ErrorCode[] {
  const { params, query, body, upload, access, unguarded, foreignOrigins } = shape
  return [
    ...(body || query || upload ? (['request.invalid'] as const) : []),
    ...(body || upload ? (['request.malformed', 'request.wrong_type', 'request.too_large', 'request.too_slow'] as const) : []),
    ...(params ? (['request.not_found'] as const) : []),
    ...(access === 'anyone' ? [] : (['auth.required', 'auth.forbidden'] as const)),
    ...(unguarded ? [] : (['request.too_many'] as const)),
    ...(method === 'GET' || foreignOrigins ? [] : (['request.foreign_origin'] as const)),
  ]
}

export const ruleCodes = ({ shape: { params, query, body, throws = [] } }: Endpoint): ErrorCode[] => [
  ...new Set([...throws, ...[params, query, body].flatMap(rulesIn)]),
]

/** Excludes `request.address_too_long`, `site.not_set_up`, `server.unavailable` and `server.unknown`, which every call can have, and `request.not_found` for a concurrent deletion. */
export const codesOf = (call: Endpoint): ErrorCode[] => [...new Set([...generalCodes(call), ...ruleCodes(call)])]
