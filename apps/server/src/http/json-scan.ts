import { bodyLimits } from '@vexil/core/limits'
import { RequestError } from './request-errors.ts'

const [quote, backslash, comma, openBracket, closeBracket, openBrace, closeBrace] = [...Buffer.from('"\\,[]{}')]

/** Returns the number of commas, lists and objects so far. Throws `request.malformed` (too deep), `request.too_large` (too many). */
export function openScan(): (bytes: Uint8Array) => number {
  let depth = 0
  let values = 0
  let inText = false
  let escaped = false
  return (bytes) => {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]
      if (escaped) escaped = false
      else if (inText) {
        if (byte === quote) inText = false
        else if (byte === backslash) escaped = true
      } else if (byte === quote) inText = true
      else if (byte === comma) values++
      else if (byte === openBracket || byte === openBrace) {
        values++
        if (++depth > bodyLimits.depth) throw new RequestError('request.malformed')
      } else if (byte === closeBracket || byte === closeBrace) depth--
    }
    if (values > bodyLimits.values) throw new RequestError('request.too_large')
    return values
  }
}
