/** Dates and durations in the language of the screen and the zone of the device. */
import { formatNumber } from '../text/text-files.ts'
import { useTranslation } from '../text/texts.tsx'

/** Intl's tag of a language. English is en-GB: day before month, which the month name makes unambiguous. */
export function tagOf(language: string): string {
  return { zh_CN: 'zh-CN', ja_JP: 'ja-JP' }[language] ?? 'en-GB'
}

type Style = 'moment' | 'day' | 'clock' | 'exact' | 'weekClock' | 'long'

const hourMinute = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const styles: Record<Style, Intl.DateTimeFormatOptions> = {
  moment: { weekday: 'short', day: 'numeric', month: 'short', ...hourMinute },
  day: { day: 'numeric', month: 'short' },
  clock: hourMinute,
  exact: { day: 'numeric', month: 'short', ...hourMinute, second: '2-digit' },
  weekClock: { weekday: 'short', ...hourMinute },
  long: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric', ...hourMinute },
}

const withYear: Partial<Record<Style, Intl.DateTimeFormatOptions>> = {
  moment: { ...styles.moment, year: 'numeric' },
  day: { ...styles.day, year: 'numeric' },
  exact: { ...styles.exact, year: 'numeric' },
}
const weekday = { weekday: 'short' } as const
const zoneAlone = { timeZoneName: 'short' } as const

const formatters = new Map<Intl.DateTimeFormatOptions, Map<string, Intl.DateTimeFormat>>()

/** Cached: creating a formatter costs a thousand times more than formatting. `options` must be one of the constants above. */
function formatterOf(language: string, options: Intl.DateTimeFormatOptions, zone: string | undefined): Intl.DateTimeFormat {
  const made = formatters.get(options) ?? new Map<string, Intl.DateTimeFormat>()
  formatters.set(options, made)
  const key = zone === undefined ? language : `${language} ${zone}`
  const formatter = made.get(key) ?? new Intl.DateTimeFormat(tagOf(language), { ...options, timeZone: zone })
  made.set(key, formatter)
  return formatter
}

/** Formats a moment. The year appears unless it is the current one. */
export function formatTime(at: string | number | Date, style: Style, language: string, zone?: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  // Languages place the weekday differently; beside a clock it always comes first.
  if (style === 'weekClock') {
    return `${formatterOf(language, weekday, zone).format(date)} ${formatTime(at, 'clock', language, zone)}`
  }
  const otherYear = date.getFullYear() !== new Date().getFullYear()
  const text = formatterOf(language, (otherYear && withYear[style]) || styles[style], zone).format(date)
  return language === 'en_US' || !language ? text.replaceAll(',', '') : text
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

/** "12 minutes ago", "in 3 hours". */
export function formatRelative(at: string | number | Date, now: number, language: string): string {
  const distance = new Date(at).getTime() - now
  const [unit, length] = units.find(([, size]) => Math.abs(distance) >= size) ?? ['minute', 60_000]
  return new Intl.RelativeTimeFormat(tagOf(language), { numeric: 'auto' }).format(Math.trunc(distance / length), unit)
}

const zoneNames = new Map<string, string>()
/** Offsets change at a full quarter of an hour. */
const quarterMs = 900_000
const zoneNamesMost = 10_000

/** The zone of the device at a moment, `GMT+9`. Cached: a board needs thousands. */
export function zoneName(at: string | number | Date, language: string): string {
  const date = new Date(at)
  const key = `${language} ${Math.floor(date.getTime() / quarterMs)}`
  const known = zoneNames.get(key)
  if (known !== undefined) return known
  const parts = formatterOf(language, zoneAlone, undefined).formatToParts(date)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  if (zoneNames.size >= zoneNamesMost) zoneNames.clear()
  zoneNames.set(key, name)
  return name
}

/** "2 hr 3 min", "12 sec". */
export function formatDuration(milliseconds: number, language: string): string {
  const seconds = Math.round(milliseconds / 1000)
  const all = [
    [Math.floor(seconds / 3600), 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ] as const
  return all
    .filter(([count]) => count > 0)
    .slice(0, 2)
    .map(([count, unit]) => new Intl.NumberFormat(tagOf(language), { style: 'unit', unit, unitDisplay: 'short' }).format(count))
    .join(' ')
}

/** A positive number of hours in the largest unit without a fraction: "2 days", "36 hours", "90 minutes". */
export function formatSpan(hours: number, language: string): string {
  const minutes = Math.round(hours * 60)
  const [value, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
  return new Intl.NumberFormat(tagOf(language), { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

/** Hours, minutes, seconds left, never negative; hours may have three digits. */
export function formatLeft(milliseconds: number): [hours: string, minutes: string, seconds: string] {
  const left = Math.max(0, Math.ceil(milliseconds / 1000))
  const two = (value: number) => String(value).padStart(2, '0')
  return [two(Math.floor(left / 3600)), two(Math.floor(left / 60) % 60), two(left % 60)]
}

/** Whole hours between two moments, at least one. */
export function hoursBetween(start: string, end: string): number {
  return Math.max(1, Math.round((Date.parse(end) - Date.parse(start)) / 3_600_000))
}

export function useFormats() {
  const { language } = useTranslation()
  return {
    language,
    time: (at: string | number | Date, style: Style = 'moment') => formatTime(at, style, language),
    relative: (at: string | number | Date, now: number) => formatRelative(at, now, language),
    number: (value: number) => formatNumber(value, language),
  }
}
