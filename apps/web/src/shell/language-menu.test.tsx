// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { click, settle } from '../../test/acts.ts'
import { openPage, toasts, until } from '../../test/page.tsx'
import { serve } from '../../test/server.ts'
import { call } from '../api/client.ts'
import { t } from '../ui/text/texts.tsx'
import { When } from '../ui/time/when.tsx'
import { FrameMenu } from './frame-menu.tsx'
import { chooseLanguage } from './i18n.ts'
import { LanguageMenu } from './language-menu.tsx'

afterEach(() => chooseLanguage('en_US'))

test('P1.22 P9.15 LANG-1 the menu lists Chinese, English and Japanese by their own names; a choice changes the page at once and is marked', async () => {
  const place = await openPage(
    <>
      <LanguageMenu />
      <When at={Date.UTC(2020, 10, 23, 12)} style="day" />
    </>,
  )
  const date = () => place.querySelector('time')?.textContent
  expect(date()).toBe('23 Nov 2020')
  const opener = () => place.querySelector('button')
  await click(opener())
  const entries = () => [...document.querySelectorAll('[role=menuitem]')]
  await until(() => expect(entries()).toHaveLength(3))
  expect(entries().map((entry) => [entry.textContent, entry.getAttribute('aria-current')])).toEqual([
    ['English', 'true'],
    ['简体中文', null],
    ['日本語', null],
  ])
  // Each is read out in its own language.
  expect(entries().map((entry) => entry.getAttribute('lang'))).toEqual(['en-US', 'zh-CN', 'ja-JP'])
  expect(entries().map((entry) => entry.querySelectorAll('svg').length)).toEqual([1, 0, 0])
  await click(entries().find(({ textContent }) => textContent === '日本語'))
  await until(() => expect(document.documentElement.lang).toBe('ja-JP'))
  expect(opener()?.getAttribute('aria-label')).toBe('言語')
  expect(date()).toBe('2020年11月23日')
  const requests = serve(() => undefined)
  const spoken = vi.spyOn(globalThis, 'fetch')
  await call({ method: 'GET', path: '/api/x', shape: { access: 'anyone', summary: '' } })
  expect(requests).toHaveLength(1)
  expect(spoken.mock.lastCall?.[1]?.headers).toMatchObject({ 'Accept-Language': 'ja-JP' })
  await click(opener())
  await settle()
  expect(
    entries()
      .filter((entry) => entry.getAttribute('aria-current') === 'true')
      .map(({ textContent }) => textContent),
  ).toEqual(['日本語'])
})

test('a button names its menu; once it is loaded, the button has the focus, which the menu returns', async () => {
  const place = await openPage(
    <FrameMenu load={async () => ({ default: ({ button }) => <div id="loaded">{button}</div> })} label="Tools">
      <button type="button">Menu</button>
    </FrameMenu>,
  )
  const opener = () => place.querySelector('button')
  expect([opener()?.getAttribute('aria-haspopup'), opener()?.getAttribute('aria-expanded')]).toEqual(['menu', 'false'])
  await act(async () => void opener()?.dispatchEvent(new Event('pointerover', { bubbles: true })))
  await until(() => expect(document.querySelector('[role=tooltip]')?.textContent).toBe('Tools'))
  await click(opener())
  await until(() => expect(document.activeElement).toBe(place.querySelector('#loaded button')))
})

test('the code of a menu is loaded when its button is hovered or focused; a failure to load is shown when it is pressed', async () => {
  let loads = 0
  // A plain function, since a mock of the test runner would handle the rejection.
  const load = async () => {
    loads++
    throw new Error('unreachable')
  }
  const place = await openPage(
    <FrameMenu load={load}>
      <button type="button">Menu</button>
    </FrameMenu>,
  )
  const opener = place.querySelector('button')
  for (const [times, name] of [
    [1, 'pointerover'],
    [2, 'focusin'],
  ] as const) {
    await act(async () => opener?.dispatchEvent(new Event(name, { bubbles: true })))
    expect(loads).toBe(times)
  }
  await settle()
  expect(toasts()).toEqual([])
  await click(opener)
  expect(toasts()).toMatchObject([{ title: t('ui.unreachable'), role: 'alert' }])
})
