import { expect, onTestFinished, test, vi } from 'vitest'
import { formatLeft, formatRelative, formatSpan, formatTime, hoursBetween, zoneName } from './time.ts'
import { withZone } from './when.tsx'

test('GD-8 the time left is shown as hours, minutes and seconds and never goes below zero', () => {
  expect(formatLeft(70_927_000)).toEqual(['19', '42', '07'])
  expect(formatLeft(400_000_000)).toEqual(['111', '06', '40'])
  expect(formatLeft(-5)).toEqual(['00', '00', '00'])
  expect(formatLeft(1)).toEqual(['00', '00', '01'])
})

test('LANG-1 a moment is written in the form of each language', () => {
  const at = Date.UTC(new Date().getFullYear(), 10, 23, 9, 0)
  expect(formatTime(at, 'clock', 'en_US', 'UTC')).toBe('09:00')
  expect(formatTime(at, 'day', 'en_US', 'UTC')).toBe('23 Nov')
  expect(formatTime(at, 'day', 'zh_CN', 'UTC')).toBe('11月23日')
  expect(formatTime(at, 'day', 'ja_JP', 'UTC')).toBe('11月23日')
  expect(formatTime('no moment', 'day', 'en_US', 'UTC')).toBe('')
})

test('LANG-4 the year is shown unless it is the current one, and the zone is that of the moment, as daylight saving time changes it', () => {
  const was = process.env.TZ
  process.env.TZ = 'Europe/Berlin'
  try {
    // Daylight saving time ended at 01:00 UTC on 25 October 2020.
    const moved = Date.UTC(2020, 9, 25, 1)
    expect([moved - 1, moved, moved + 1].map((at) => zoneName(at, 'en_US'))).toEqual(['CEST', 'CET', 'CET'])
    expect(zoneName(moved - 1, 'ja_JP')).toBe('GMT+2')
    expect(withZone(moved - 5000, 'en_US')).toBe('25 Oct 2020 02:59:55 CEST (00:59 UTC)')
    expect(withZone(moved + 5000, 'en_US')).toBe('25 Oct 2020 02:00:05 CET (01:00 UTC)')
    expect(formatTime(moved, 'clock', 'en_US')).toBe('02:00')
    expect(formatTime(moved, 'day', 'en_US')).toBe('25 Oct 2020')
    expect(formatTime(moved, 'moment', 'en_US')).toBe('Sun 25 Oct 2020 02:00')
  } finally {
    if (was === undefined) delete process.env.TZ
    else process.env.TZ = was
  }
})

test('at most ten thousand names of zones are kept', () => {
  const format = vi
    .spyOn(Intl.DateTimeFormat.prototype, 'formatToParts')
    .mockReturnValue([{ type: 'timeZoneName', value: 'CET' }])
  onTestFinished(() => format.mockRestore())
  const name = (quarter: number) => zoneName(Date.UTC(1990, 0) + quarter * 900_000, 'en_US')
  for (let quarter = 0; quarter <= 10_000; quarter++) name(quarter)
  expect(format).toHaveBeenCalledTimes(10_001)
  name(10_000)
  expect(format).toHaveBeenCalledTimes(10_001)
  name(0)
  expect(format).toHaveBeenCalledTimes(10_002)
})

test('LANG-4 the distance to now is shown in words', () => {
  expect(formatRelative(0, 12 * 60_000, 'en_US')).toBe('12 minutes ago')
  expect(formatRelative(3 * 3_600_000, 0, 'ja_JP')).toBe('3 時間後')
  // Units that have passed in full.
  expect(formatRelative(0, 119_000, 'en_US')).toBe('1 minute ago')
  expect(formatRelative(0, 30_000, 'en_US')).toBe('this minute')
  expect(formatRelative(86_400_000, 0, 'en_US')).toBe('tomorrow')
})

test('GI-4 a span has the largest unit without a fraction', () => {
  const spans = [24, 72, 36, 1, 1.5, 0.25].map((hours) => formatSpan(hours, 'en_US'))
  expect(spans).toEqual(['1 day', '3 days', '36 hours', '1 hour', '90 minutes', '15 minutes'])
  expect(formatSpan(48, 'ja_JP')).toBe('2 日')
})

test('HOME-2 a game has whole hours, rounded, at least one', () => {
  expect(hoursBetween('2026-11-21T09:00:00Z', '2026-11-23T09:00:00Z')).toBe(48)
  expect(hoursBetween('2026-11-21T09:00:00Z', '2026-11-21T09:10:00Z')).toBe(1)
  const roundedOf = (end: string) => hoursBetween('2026-11-21T09:00:00Z', `2026-11-21T${end}Z`)
  expect([roundedOf('11:29:00'), roundedOf('11:30:00')]).toEqual([2, 3])
})
