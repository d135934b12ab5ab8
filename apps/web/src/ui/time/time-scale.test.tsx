// @vitest-environment jsdom
import { expect, test } from 'vitest'
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

test('the scale of a game names the day at its ends and where it changes, and is full after the end', async () => {
  const start = new Date(2026, 0, 9, 18).getTime()
  const place = await openPage(<TimeScale start={iso(start)} end={iso(start + 48 * hour)} label="A weekend" />)
  const scale = place.querySelector('[aria-label="A weekend"]')
  const names = [...(scale?.querySelectorAll('span') ?? [])].map(({ textContent }) => textContent)
  expect(names).toEqual(['Fri 18:00', 'Sat 12:00', 'Sun 00:00', 'Sun 18:00'])
  expect(scale?.querySelector('i')?.style.width).toBe('100%')
  const later = await openPage(<TimeScale start={iso(Date.now() + hour)} end={iso(Date.now() + 2 * hour)} label="Later" />)
  expect(later.querySelector<HTMLElement>('[aria-label=Later] i')?.style.width).toBe('0%')
})
