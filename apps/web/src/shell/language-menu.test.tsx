// @vitest-environment jsdom
import { afterEach, expect, test } from 'vitest'
import { click, settle } from '../../test/acts.ts'
import { openPage, until } from '../../test/page.tsx'
import { chooseLanguage } from './i18n.ts'
import { LanguageMenu } from './language-menu.tsx'

afterEach(() => chooseLanguage('en_US'))

test('P9.15 LANG-1 the menu has Chinese, English and Japanese by their own names; a choice turns the page at once and is the marked one', async () => {
  const place = await openPage(<LanguageMenu />)
  const opener = () => place.querySelector('button')
  await click(opener())
  const entries = () => [...document.querySelectorAll('[role=menuitem]')]
  await until(() => expect(entries()).toHaveLength(3))
  expect(entries().map((entry) => [entry.textContent, entry.getAttribute('aria-current')])).toEqual([
    ['English', 'true'],
    ['简体中文', null],
    ['日本語', null],
  ])
  await click(entries().find(({ textContent }) => textContent === '日本語'))
  await until(() => expect(document.documentElement.lang).toBe('ja-JP'))
  expect(opener()?.getAttribute('aria-label')).toBe('言語')
  await click(opener())
  await settle()
  expect(
    entries()
      .filter((entry) => entry.getAttribute('aria-current') === 'true')
      .map(({ textContent }) => textContent),
  ).toEqual(['日本語'])
})
