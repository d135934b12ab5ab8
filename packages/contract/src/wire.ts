import { instant } from '@vexil/core/phases'

/** The last scoring time of a team without a solve. */
export const minTime = '0001-01-01T00:00:00+00:00'

/** ISO 8601 in UTC, `2024-09-26T09:41:37.123+00:00`; the fraction is left out when it is zero. Takes a Date or milliseconds since 1970. */
export const wireTime = instant

const instantForm = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?$/

/** Reads an ISO 8601 instant with any offset; without one, UTC. null if it is invalid or outside the years 1 to 9999. */
export function parseInstant(text: string): Date | null {
  const found = instantForm.exec(text.trim())
  if (!found) return null
  const [, year, month, day, hour, minute, second = '00', fraction = '', offset = 'Z'] = found
  const zone = /^z$/i.test(offset) ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`
  const ms = fraction.padEnd(3, '0').slice(0, 3)
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}${zone}`)
  if (Number.isNaN(time.getTime())) return null
  // `Date` turns the 31st of a short month into the 1st of the next; that is an input error.
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  const whole = time.getUTCFullYear()
  return Number(day) > days || whole < 1 || whole > 9999 ? null : time
}
