const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

interface Day {
  readonly year: number
  readonly month: number
  readonly day: number
}

const clock = /(?<![\d:])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.]\d{1,9})?)? ?([ap]\.?m\.?)?(?![\d:])/i
const offset = /(?:(?<=\d) ?|\b)(?:(z|utc|gmt)|([+-])(\d{2}):?(\d{2})) ?$/i

/** Year first, then day first, then month by name; without a year, the year of `near`. */
function dayOf(text: string, near: Date): Day | null | undefined {
  const yearFirst = /(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})/.exec(text)
  if (yearFirst) return { year: Number(yearFirst[1]), month: Number(yearFirst[2]), day: Number(yearFirst[3]) }
  const dayFirst = /(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})/.exec(text)
  if (dayFirst) return { year: Number(dayFirst[3]), month: Number(dayFirst[2]), day: Number(dayFirst[1]) }
  const noYear = /(\d{1,2})\s*月\s*(\d{1,2})\s*日/.exec(text)
  if (noYear) return { year: near.getFullYear(), month: Number(noYear[1]), day: Number(noYear[2]) }
  return namedDay(text.split(/[\s.,]+/).filter(Boolean), near) ?? (/\d/.test(text) ? null : undefined)
}

/** `3 January 2026`, `Jan 3rd, 2026`, `Sat 3 Jan`: the month by name, the day beside it, the year last or absent. */
function namedDay(words: readonly string[], near: Date): Day | undefined {
  const hasYear = /^\d{4}$/.test(words.at(-1) ?? '')
  const rest = hasYear ? words.slice(0, -1) : words
  const dayIn = (word = '') => /^(\d{1,2})(?:st|nd|rd|th)?$/i.exec(word)?.[1]
  const monthIn = (word = '') => (/^[a-z]{3,9}$/i.test(word) ? months.indexOf(word.slice(0, 3).toLowerCase()) : -1)
  const monthLast = monthIn(rest.at(-1)) >= 0
  const month = monthIn(rest.at(monthLast ? -1 : -2))
  const day = dayIn(rest.at(monthLast ? -2 : -1))
  if (month < 0 || day === undefined) return undefined
  return { year: hasYear ? Number(words.at(-1)) : near.getFullYear(), month: month + 1, day: Number(day) }
}

/** Parses a moment (ms): ISO, the local format, or a time alone on the day of `near`. Undefined for an invalid time. */
export function readMoment(typed: string, near: number): number | undefined {
  const text = typed
    .slice(0, 100)
    .normalize('NFKC')
    .trim()
    .replace(/[\s,]+/g, ' ')
    .replace(/T(?=\d)/, ' ')
  const zone = clock.test(text) ? offset.exec(text) : null
  const local = zone ? text.slice(0, zone.index) : text
  const time = clock.exec(local)
  const rest = (time ? local.slice(0, time.index) + local.slice(time.index + time[0].length) : local).trim()
  const base = new Date(Number.isNaN(near) ? Date.now() : near)
  const found = dayOf(rest, base)
  if (found === null || (found === undefined && !time)) return undefined
  const { year, month, day } = found ?? { year: base.getFullYear(), month: base.getMonth() + 1, day: base.getDate() }
  const [hour, minute, second] = [hourOf(time), Number(time?.[2] ?? 0), Number(time?.[3] ?? 0)]
  if (!isDay(year, month, day) || !(hour < 24) || minute > 59 || second > 59) return undefined
  if (!zone) return new Date(year, month - 1, day, hour, minute, second).getTime()
  const minutes = zone[1] ? 0 : (zone[2] === '-' ? -1 : 1) * (Number(zone[3]) * 60 + Number(zone[4]))
  return Date.UTC(year, month - 1, day, hour, minute - minutes, second)
}

/** Rejects hours of 24 and above, and 13 pm. */
function hourOf(time: RegExpExecArray | null): number {
  const hour = Number(time?.[1] ?? 0)
  const half = time?.[4]?.[0]?.toLowerCase()
  if (!half) return hour
  return hour < 1 || hour > 12 ? Number.NaN : (hour % 12) + (half === 'p' ? 12 : 0)
}

const isDay = (year: number, month: number, day: number) => {
  const date = new Date(Date.UTC(year, month - 1, day))
  return year >= 1970 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
