import { RequestError } from './request-errors.ts'

/** Parses JSON in UTF-8, with or without a byte order mark; undefined for blank text. Throws `request.malformed`. */
export function parseJson(pieces: readonly Uint8Array[]): unknown {
  // The decoder removes the byte order mark.
  const text = new TextDecoder().decode(Buffer.concat(pieces))
  // Several bots send the JSON content type with an empty body.
  if (/^\s*$/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestError('request.malformed')
  }
}
