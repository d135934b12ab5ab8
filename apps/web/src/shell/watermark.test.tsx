// @vitest-environment jsdom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { useQueryClient } from '@tanstack/react-query'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { json, openPage, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { Watermark } from './watermark.tsx'

afterEach(() => void vi.unstubAllGlobals())

let change = (_: object) => {}
function Marked() {
  const queries = useQueryClient()
  change = (profile) => queries.setQueryData(keys.profile, profile)
  return <Watermark />
}

const user = { userId: '0198-abc', userName: 'ann', role: 'User' }

test('NAV-7 the number of the account covers every page if the site enables it, not for visitors, hidden from screen readers and the pointer', async () => {
  vi.stubGlobal('fetch', async () => json({}))
  const draw = async (watermark: boolean, profile: object | null) =>
    (
      await openPage(<Marked />, [
        [keys.config, { title: 'GZ', watermark }],
        [keys.profile, profile],
      ])
    ).querySelector('div[aria-hidden]')
  const mark = await draw(true, user)
  expect(mark?.getAttribute('data-watermark')).toBe(user.userId)
  expect(mark?.getAttribute('aria-hidden')).toBe('true')
  expect(mark?.textContent).toBe('')
  expect(decodeURIComponent((mark as HTMLElement | null)?.style.maskImage ?? '')).toContain(user.userId)
  // Another account signed in.
  await act(async () => change({ ...user, userId: '0198-def' }))
  await until(() => expect(mark?.getAttribute('data-watermark')).toBe('0198-def'))
  expect(decodeURIComponent((mark as HTMLElement | null)?.style.maskImage ?? '')).toContain('>0198-def<')
  const styles = readFileSync(join(import.meta.dirname, 'watermark.module.css'), 'utf8')
  expect(styles).toMatch(/^\.watermark \{[^}]*opacity: 0\.0\d+;[^}]*pointer-events: none;[^}]*\}/)
  expect(await draw(false, user)).toBeNull()
  expect(await draw(true, null)).toBeNull()
})
