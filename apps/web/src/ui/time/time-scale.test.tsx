// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { openPage } from '../../../test/page.tsx'
import { Countdown } from './countdown.tsx'
import { TimeScale } from './time-scale.tsx'

const hour = 3_600_000
const iso = (at: number) => new Date(at).toISOString()

test('a countdown of more than 999 hours has words instead of digits', async () => {
  const place = await openPage(
    <>
      <Countdown to={Date.now() + 1000 * hour} />
      <Countdown to={Date.now() + 998 * hour} />
    </>,
  )
  const shown = [...place.querySelectorAll('span')].map(({ textContent }) => textContent)
  expect(shown).toEqual(['a long time', expect.stringMatching(/^99[78]:\d\d:\d\d$/)])
})

test('a countdown calls its listener once at its end, and needs none', async () => {
  const onEnd = vi.fn()
  const past = Date.now() - hour
  const place = await openPage(
    <>
      <Countdown to={past} />
      <Countdown to={past} onEnd={onEnd} />
      <Countdown to={Date.now() + hour} onEnd={() => expect.unreachable()} />
    </>,
  )
  const shown = [...place.querySelectorAll('[role=timer]')].map(({ textContent }) => textContent)
  expect(shown).toEqual(['00:00:00', '00:00:00', expect.stringMatching(/^00:59:5\d$|^01:00:00$/)])
  expect(onEnd).toHaveBeenCalledTimes(1)
})

test('the scale of a game names the day at its ends and where it changes, and is full after the end', async () => {
  const start = new Date(2026, 0, 9, 18).getTime()
  const place = await openPage(<TimeScale start={iso(start)} end={iso(start + 48 * hour)} label="A weekend" />)
  const scale = place.querySelector('[aria-label="A weekend"]')
  const names = [...(scale?.querySelectorAll('span') ?? [])].map(({ textContent }) => textContent)
  expect(names).toEqual(['Fri 18:00', 'Sat 12:00', 'Sun 00:00', 'Sun 18:00'])
  const at = (marks: string) => [...(scale?.querySelectorAll<HTMLElement>(marks) ?? [])].map(({ style }) => style.left)
  expect(at('span')).toEqual(['0%', '37.5%', '62.5%', '100%'])
  // A tick every two hours; those with a label are longer.
  expect([at('i').filter(Boolean).length, at('i[data-major]')]).toEqual([25, ['37.5%', '62.5%']])
  expect(at('b')).toEqual(['100%'])
  expect(scale?.querySelector('i')?.style.width).toBe('100%')
  const later = await openPage(<TimeScale start={iso(Date.now() + hour)} end={iso(Date.now() + 2 * hour)} label="Later" />)
  expect(later.querySelector<HTMLElement>('[aria-label=Later] i')?.style.width).toBe('0%')
})
