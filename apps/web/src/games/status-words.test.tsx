// @vitest-environment jsdom
import type { DetailedGame } from '@vexil/contract/games'
import type { Language } from '@vexil/core/vocabulary'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { ago, game } from '../../test/in-game.tsx'
import { json, openPage } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { chooseLanguage } from '../shell/i18n.ts'
import { GamePage } from './game-page.tsx'

afterEach(async () => {
  await act(() => chooseLanguage('en_US'))
  vi.unstubAllGlobals()
})

const shown = async (status: DetailedGame['status']) => {
  const place = await openPage(
    <GamePage game={{ ...game({ status, start: ago(-60), end: ago(-120) }), content: '', summary: '' } as DetailedGame} />,
    [
      [keys.config, { title: 'GZ', setupRequired: false }],
      [keys.profile, { userId: 'u', userName: 'ann', role: 'User' }],
      [keys.teams.mine, []],
    ],
  )
  return place.textContent ?? ''
}
const statuses = ['Pending', 'Accepted', 'Rejected', 'Suspended'] as const
const words: Record<Language, readonly string[]> = {
  en_US: ['Pending review', 'Approved', 'Re-Sign Up', 'Banned'],
  zh_CN: ['等待审核', '已通过', '重新报名', '已禁赛'],
  ja_JP: ['審査待ち', '承認済み', '再申込', '出場停止'],
}

test.each(Object.keys(words) as Language[])(
  'P3.51 in %s the page of a game shows each status of the own team as a different word',
  async (language) => {
    vi.stubGlobal('fetch', async () => json([]))
    await shown('Pending')
    await act(() => chooseLanguage(language))
    for (const [index, status] of statuses.entries()) {
      const text = await shown(status)
      expect(words[language].filter((word) => text.includes(word))).toEqual([words[language][index]])
    }
  },
)
