// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { json, openPage } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { Watermark } from './watermark.tsx'

afterEach(() => void vi.unstubAllGlobals())

const user = { userId: '0198-abc', userName: 'ann', role: 'User' }

test('NAV-7 the number of the account covers every page if the site enables it, not for visitors, hidden from screen readers and the pointer', async () => {
  vi.stubGlobal('fetch', async () => json({}))
  const draw = async (watermark: boolean, profile: object | null) =>
    (
      await openPage(<Watermark />, [
        [keys.config, { title: 'GZ', watermark }],
        [keys.profile, profile],
      ])
    ).querySelector('[data-watermark]')
  const mark = await draw(true, user)
  expect(mark?.getAttribute('data-watermark')).toBe(user.userId)
  expect(mark?.getAttribute('aria-hidden')).toBe('true')
  expect(mark?.textContent).toBe('')
  expect(decodeURIComponent((mark as HTMLElement | null)?.style.maskImage ?? '')).toContain(user.userId)
  const styles = readFileSync(join(import.meta.dirname, 'watermark.module.css'), 'utf8')
  expect(styles).toMatch(/^\.watermark \{[^}]*opacity: 0\.0\d+;[^}]*pointer-events: none;[^}]*\}/)
  expect(await draw(false, user)).toBeNull()
  expect(await draw(true, null)).toBeNull()
})
