import { RequestError } from './request-errors.ts'

/** The value of a JSON text in UTF-8, with or without a byte order mark; undefined for blanks only. Throws `request.malformed`. */
export function parseJson(pieces: readonly Uint8Array[]): unknown {
  // The decoder leaves the mark out.
  const text = new TextDecoder().decode(Buffer.concat(pieces))
  // Several bots send the JSON content type with an empty body; that is no body.
  if (/^\s*$/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestError('request.malformed')
  }
}
