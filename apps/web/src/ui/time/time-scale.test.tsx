// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { openPage } from '../../../test/page.tsx'
import { Countdown } from './countdown.tsx'
import { TimeBar, TimeScale } from './time-scale.tsx'

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

test('a countdown calls the listener that it has at its end', async () => {
  const [first, second] = [vi.fn(), vi.fn()]
  let end = () => {}
  function Changed() {
    const [over, setOver] = useState(false)
    end = () => setOver(true)
    return <Countdown to={Date.now() + (over ? -hour : hour)} onEnd={over ? second : first} />
  }
  await openPage(<Changed />)
  await act(async () => end())
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1])
})

test('the bar of a game is empty before its start and full after its end', async () => {
  const now = Date.now()
  const bars = [
    [now + hour, now + 2 * hour],
    [now - 2 * hour, now - hour],
  ].map(([start = 0, end = 0]) => <TimeBar key={start} start={iso(start)} end={iso(end)} />)
  const place = await openPage(bars)
  expect([...place.querySelectorAll('i')].map(({ style }) => style.width)).toEqual(['0%', '100%'])
})

test('the scale of a game names the day at its ends and where it changes, and is full after the end', async () => {
  const start = new Date(2026, 0, 9, 18).getTime()
  const place = await openPage(<TimeScale start={iso(start)} end={iso(start + 48 * hour)} label="A weekend" />)
  const scale = place.querySelector('[role=img][aria-label="A weekend"]')
  const names = [...(scale?.querySelectorAll('span') ?? [])].map(({ textContent }) => textContent)
  expect(names).toEqual(['Fri 18:00', 'Sat 12:00', 'Sun 00:00', 'Sun 18:00'])
  const at = (marks: string) => [...(scale?.querySelectorAll<HTMLElement>(marks) ?? [])].map(({ style }) => style.left)
  expect(at('span')).toEqual(['0%', '37.5%', '62.5%', '100%'])
  // A tick every two hours; those with a label are longer.
  expect([at('i').filter(Boolean).length, at('i[data-major]')]).toEqual([25, ['37.5%', '62.5%']])
  expect(at('b')).toEqual(['100%'])
  expect(scale?.querySelector('i')?.style.width).toBe('100%')
  // A scale of more than six days names days only.
  const days = await openPage(<TimeScale start={iso(start)} end={iso(start + 192 * hour)} label="A week" />)
  expect(
    [...days.querySelectorAll('[aria-label="A week"] span')].every(({ textContent }) => /^\d+ Jan( 2026)?$/.test(textContent)),
  ).toBe(true)
  const later = await openPage(<TimeScale start={iso(Date.now() + hour)} end={iso(Date.now() + 2 * hour)} label="Later" />)
  expect(later.querySelector<HTMLElement>('[aria-label=Later] i')?.style.width).toBe('0%')
})
