// @vitest-environment jsdom
import { type Language, languages } from '@vexil/core/vocabulary'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import en from '../../locales/en_US.json' with { type: 'json' }
import ja from '../../locales/ja_JP.json' with { type: 'json' }
import zh from '../../locales/zh_CN.json' with { type: 'json' }
import { json, openPage, submit, toasts, type } from '../../test/page.tsx'
import { chooseLanguage } from '../shell/i18n.ts'
import { FlagForm } from './flag-form.tsx'
import type { Shown } from './shown.ts'
import { useFlags } from './use-flags.ts'

afterEach(async () => {
  await act(() => chooseLanguage('en_US'))
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const card = { id: 3, title: 'Buoy', isSolved: false } as Shown
const Form = () => <FlagForm game={7} card={card} flags={useFlags(7)} scored />
const words = (language: Language) => ({ en_US: en, zh_CN: zh, ja_JP: ja })[language].play

test.each(languages)('P8.15 CD-20 in %s a wrong flag shows the message and a hint from the list', async (language) => {
  vi.stubGlobal('fetch', async (address: string, init?: RequestInit) =>
    json(init?.method === 'POST' ? 41 : address.endsWith('/tries') ? [] : 'WrongAnswer'),
  )
  const place = await openPage(<Form />)
  await act(() => chooseLanguage(language))
  const { wrong, hints } = words(language)
  const list = Object.values(hints)
  expect(list.length).toBeGreaterThan(2)
  const seen = new Set<string>()
  // The first, one in the middle and the last of the list.
  for (const chance of [0, 0.5, 0.999]) {
    vi.spyOn(Math, 'random').mockReturnValue(chance)
    await type(place.querySelector('input') ?? undefined, `flag{no ${chance}}`)
    await submit(place)
    const line = () => place.querySelector('p[role="alert"]')?.textContent ?? ''
    await vi.waitFor(() => expect(line()).toContain(wrong), 20_000)
    const hint = list.find((one) => line().includes(`${wrong} ${one}`)) ?? ''
    expect(toasts()).toEqual([])
    seen.add(hint)
  }
  expect([...seen]).toEqual([list[0], list[Math.floor(list.length / 2)], list.at(-1)])
})
