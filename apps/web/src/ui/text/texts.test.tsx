// @vitest-environment jsdom
import { act } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { openPage } from '../../../test/page.tsx'
import { chooseLanguage } from '../../shell/i18n.ts'
import * as organisers from './organiser-texts.ts'
import { formatNumber, loadAllLanguages } from './text-files.ts'
import { inAllLanguages, listTexts, type TextKey, Trans, t, useTranslation } from './texts.tsx'

afterEach(async () => {
  await act(() => chooseLanguage('en_US'))
  vi.restoreAllMocks()
})

function Page({ count }: { readonly count: number }) {
  const { t, language } = useTranslation()
  return (
    <p>
      {language} {t('play.solves', { count })}
    </p>
  )
}

test('LANG-1 another language is shown at once, and its texts are loaded first', async () => {
  const place = await openPage(<Page count={2} />)
  expect(place.querySelector('p')?.textContent).toBe('en_US 2 solves')
  await act(() => chooseLanguage('ja_JP'))
  expect(place.querySelector('p')?.textContent).toMatch(/^ja_JP [ぁ-ヶ一-鿿]+ 2$/)
  expect(document.documentElement.lang).toBe('ja-JP')
})

test('one has a separate form in English and none in Chinese', async () => {
  await openPage(<Page count={1} />)
  expect([0, 1, 2].map((count) => t('play.solves', { count }))).toEqual(['0 solves', '1 solve', '2 solves'])
  await act(() => chooseLanguage('zh_CN'))
  expect(t('play.solves', { count: 1 }).replace('1', '2')).toBe(t('play.solves', { count: 2 }))
})

test('a number is written in one form, in texts and beside them; a string is unchanged', async () => {
  await openPage(<Page count={1000} />)
  expect(t('play.solves', { count: 12_345 })).toBe('12,345 solves')
  expect(formatNumber(12_345, 'en_US')).toBe('12,345')
  expect(t('play.unknown', { id: '12345' })).toContain(' 12345')
})

test('P1.26 MD-5 values are neither escaped nor read as placeholders or elements; a missing one is empty', async () => {
  const place = await openPage(
    <p>
      <Trans i18nKey="games.alert.ready" components={{ team: <b>{'{{count}} <l>x</l>'}</b> }} values={{ team: 'wrong' }} />
    </p>,
  )
  expect(place.querySelector('b')?.textContent).toBe('{{count}} <l>x</l>')
  expect(place.querySelector('p')?.textContent).toBe(
    'You play for {{count}} <l>x</l>. The challenges open when the countdown ends.',
  )
  expect(t('ui.typeToConfirm', { text: '<b>&{{text}}$&' })).toBe('Type <b>&{{text}}$& to confirm')
  expect(t('ui.typeToConfirm', { text: null })).toBe('Type  to confirm')
})

test('an element surrounds its part of the text, and takes values and plural forms', async () => {
  const key = 'admin.challenge.hintsTold'
  const place = await openPage(
    <>
      <p>
        <organisers.Trans i18nKey={key} count={1} components={{ b: <b className="new" /> }} />
      </p>
      <p>
        <organisers.Trans i18nKey={key} count={3} components={{ b: <b className="new" /> }} />
      </p>
    </>,
  )
  expect([...place.querySelectorAll('p')].map((one) => one.innerHTML)).toEqual([
    '<b class="new">1 new hint.</b> Saving notifies all players.',
    '<b class="new">3 new hints.</b> Saving notifies all players.',
  ])
})

test('numbered texts are in order, and a text in all languages is found in each', async () => {
  await openPage(<Page count={1} />)
  await loadAllLanguages()
  expect(listTexts('ui.blood')).toEqual(['First blood', 'Second blood', 'Third blood'])
  expect(new Set(inAllLanguages('shell.tabs.posts')).size).toBe(3)
  expect(new Set(inAllLanguages('admin.tabs.settings')).size).toBe(3)
})

test('P1.27 LANG-2 a text that is missing in a language is shown in English, and never as its key', async () => {
  await openPage(<Page count={1} />)
  vi.doMock('texts:start/zh_CN', () => ({ default: { ui: { close: '关闭' } } }))
  const lost = vi.fn()
  vi.doMock('texts:start/en_US', () => {
    lost()
    throw new Error('The platform is unreachable')
  })
  onTestFinished(() => {
    for (const name of ['zh_CN', 'en_US']) vi.doUnmock(`texts:start/${name}`)
  })
  vi.resetModules()
  const fresh = await import('./texts.tsx')
  await (await import('./text-files.ts')).loadLanguage('zh_CN')
  fresh.setLanguage('zh_CN')
  expect([fresh.t('ui.close'), fresh.t('ui.save')]).toEqual(['关闭', ''])
  // English that cannot be loaded is requested again.
  await vi.waitFor(() => expect(lost).toHaveBeenCalled())
  vi.doUnmock('texts:start/en_US')
  await vi.waitFor(() => expect(fresh.t('ui.save')).toBe('Save'))
  expect(fresh.t('ui.close')).toBe('关闭')
  expect(fresh.t('ui.nothing' as TextKey)).toBe('')
})

test('LANG-2 an area that is wanted while a language loads is a part of that language', async () => {
  vi.resetModules()
  const fresh = await import('./texts.tsx')
  const { findText, loadLanguage } = await import('./text-files.ts')
  const chosen = loadLanguage('ja_JP')
  await fresh.loadTexts('players')
  await chosen
  expect(findText('ja_JP', 'play.solves', 2)).toMatch(/[ぁ-ヶ一-鿿]/)
})

test('LANG-2 an area that loads while the language changes is loaded in the new language, too', async () => {
  vi.resetModules()
  const fresh = await import('./texts.tsx')
  const { findText, loadLanguage } = await import('./text-files.ts')
  await loadLanguage('ja_JP')
  expect(findText('ja_JP', 'play.solves', 2)).toBeUndefined()
  const loaded = fresh.loadTexts('players')
  fresh.setLanguage('ja_JP')
  await loaded
  expect(fresh.t('play.solves', { count: 2 })).toMatch(/[ぁ-ヶ一-鿿]/)
})
