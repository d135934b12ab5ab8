// @vitest-environment jsdom

import { act } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openPage, until } from '../../../test/page.tsx'
import { recordServerTime } from '../../api/clock.ts'
import { ClockBadge } from '../../shell/clock-badge.tsx'
import { t } from '../text/texts.tsx'
import { formatDuration, formatRelative } from './time.ts'
import { TimeTip, When } from './when.tsx'

const at = Date.UTC(2026, 4, 1, 9, 30, 15)

test('CLOCK-2 LANG-4 every time shows its zone and UTC, is reached by Tab, and only once inside a link', async () => {
  const place = await openPage(
    <>
      <When at={at} style="clock" />
      <a href="/x">
        <When at={at} />
      </a>
      <label>
        <When at={at} />
        <input />
      </label>
      {['button', 'option'].map((role) => (
        <div key={role} role={role} tabIndex={-1}>
          <When at={at} />
        </div>
      ))}
    </>,
  )
  const [alone, ...within] = place.querySelectorAll('time')
  expect([alone?.tabIndex, within.map(({ tabIndex }) => tabIndex)]).toEqual([0, [-1, -1, -1, -1]])
  expect(alone?.dateTime).toBe('2026-05-01T09:30:15.000Z')
  await act(async () => alone?.focus())
  const tip = await vi.waitFor(() => {
    const found = document.querySelector('[role=tooltip]')
    if (!found) throw new Error('no tooltip')
    return found.textContent
  })
  expect(tip).toContain(`09:30:15 UTC · ${formatRelative(at, Date.now(), 'en_US')}`)
  expect(tip).toMatch(/(GMT|UTC)/)
})

test.each(['mouse', 'touch'])('CLOCK-2 LANG-4 hovering over a time by %s shows it, too', async (pointerType) => {
  const place = await openPage(<When at={at} style="clock" />)
  const enter = Object.assign(new Event('pointerover', { bubbles: true }), { pointerType })
  await act(async () => void place.querySelector('time')?.dispatchEvent(enter))
  await until(() => expect(document.querySelector('[role=tooltip]')?.textContent).toContain('09:30:15 UTC'))
})

test('LANG-4 the distance from now is that of the server’s clock', async () => {
  const now = Date.now()
  recordServerTime(new Date(now + 7_200_000).toUTCString(), now, now)
  onTestFinished(() => recordServerTime(new Date(now).toUTCString(), now, now))
  const place = await openPage(<When at={now + 5_370_000} style="relative" />)
  const time = place.querySelector('time')
  expect(time?.textContent).toBe('30 minutes ago')
  await act(async () => time?.focus())
  await until(() => expect(document.querySelector('[role=tooltip]')?.textContent).toMatch(/30 minutes ago$/))
})

test('CLOCK-2 a span of time shows the zone and UTC of both its ends', async () => {
  const place = await openPage(
    <TimeTip at={at} until={at + 3_600_000}>
      9 to 10
    </TimeTip>,
  )
  await act(async () => place.querySelector('time')?.focus())
  const tip = () => document.querySelector('[role=tooltip]')?.textContent ?? ''
  await until(() => expect(tip()).toMatch(/09:30:15 UTC.*10:30:15 UTC/))
})

test('CLOCK-1 a badge shows how much the device clock is off, and disappears when it is right', async () => {
  const place = await openPage(<ClockBadge />)
  expect(place.querySelector('button')).toBeNull()
  const now = Date.now()
  await act(async () => recordServerTime(new Date(now - 7_200_000).toUTCString(), now, now + 5))
  const said = place.querySelector('button')?.getAttribute('aria-label')
  expect(said).toMatch(/^This device's clock is (1 hr 59 min|2 hr).* ahead/)
  await act(async () => recordServerTime(new Date(now).toUTCString(), now, now + 5))
  expect(place.querySelector('button')).toBeNull()
  await act(async () => recordServerTime(new Date(now + 60_000).toUTCString(), now, now + 5))
  expect(place.querySelector('button')?.getAttribute('aria-label')).toContain('behind')
  expect(t('shell.clockBehind', { time: '' })).toContain('behind')
  await act(async () => recordServerTime(new Date(now).toUTCString(), now, now + 5))
})

test('CLOCK-1 durations are written in the language of the screen', () => {
  expect(formatDuration(7_383_000, 'en_US')).toBe('2 hrs 3 mins')
  expect(formatDuration(12_000, 'ja_JP')).toBe('12 秒')
  expect(formatDuration(3_599_600, 'en_US')).toBe('1 hr')
})
