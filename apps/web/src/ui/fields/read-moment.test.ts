import { describe, expect, test } from 'vitest'
import { momentText } from './moment-field.tsx'
import { readMoment } from './read-moment.ts'

const near = new Date(2026, 10, 22, 9, 30, 15).getTime()
const local = (...parts: [number, number, number, number?, number?, number?]) =>
  new Date(parts[0], parts[1] - 1, parts[2], parts[3] ?? 0, parts[4] ?? 0, parts[5] ?? 0).getTime()

const typed: [string, number][] = [
  ['2026-11-24 09:00', local(2026, 11, 24, 9)],
  ['2026-11-24T09:00:05', local(2026, 11, 24, 9, 0, 5)],
  ['2026-11-24T09:00:05.250Z', Date.UTC(2026, 10, 24, 9, 0, 5)],
  ['2026-11-24T09:00:00+08:00', Date.UTC(2026, 10, 24, 1)],
  ['2026-11-24 09:00 -0330', Date.UTC(2026, 10, 24, 12, 30)],
  ['2026-11-24 09:00 UTC', Date.UTC(2026, 10, 24, 9)],
  ['2026-11-24', local(2026, 11, 24)],
  ['2026/1/4 7:05', local(2026, 1, 4, 7, 5)],
  ['24/11/2026 9:00 pm', local(2026, 11, 24, 21)],
  ['24.11.2026 12:00 am', local(2026, 11, 24)],
  ['Tue 24 Nov 2026 09:00:00', local(2026, 11, 24, 9)],
  ['November 24th, 2027, 18:45', local(2027, 11, 24, 18, 45)],
  ['24 nov 18:45', local(2026, 11, 24, 18, 45)],
  ['2026年11月24日 周二 09:00:30', local(2026, 11, 24, 9, 0, 30)],
  ['2026年11月24日(火) 9:00', local(2026, 11, 24, 9)],
  ['11月24日 21:00', local(2026, 11, 24, 21)],
  ['２０２６-１１-２４　０９：００', local(2026, 11, 24, 9)],
  ['21:40', local(2026, 11, 22, 21, 40)],
  ['  7:05  ', local(2026, 11, 22, 7, 5)],
]
const wrong = [
  '',
  'tomorrow',
  '2026-02-30 09:00',
  '2026-13-01',
  '25:00',
  '2026-11-24 09:61',
  '13:00 pm',
  '0:30 am',
  '1969-12-31 09:00',
  '24 Novembermay',
  '12',
  '2026',
  '1/2',
  '99/99/2026',
]

describe('DATE-1 a typed or pasted time', () => {
  test.each(typed)('%s is read', (text, at) => expect(readMoment(text, near)).toBe(at))
  test.each(wrong)('"%s" is not a valid time', (text) => expect(readMoment(text, near)).toBeUndefined())
  test.each(['24 nov 18:45', '11月24日 18:45', '18:45'])('%s without a year is in the year of the former time', (text) =>
    expect(readMoment(text, local(2031, 11, 24, 9))).toBe(local(2031, 11, 24, 18, 45)),
  )

  test.each(['en_US', 'zh_CN', 'ja_JP'])('the text shown in %s is read back as the same moment', (language) => {
    for (const month of Array.from({ length: 12 }, (_, index) => index)) {
      const at = new Date(2027, month, 3 + month, 23 - month, 5, 9).getTime()
      for (const hasWeekday of [true, false])
        expect(readMoment(momentText(at, language, hasWeekday), near), momentText(at, language)).toBe(at)
    }
  })
})
