// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { button, click } from '../../../test/acts.ts'
import { openPage, toasts, until } from '../../../test/page.tsx'
import { isOnline, markReachable } from '../../api/connection.ts'
import { t } from '../text/texts.tsx'
import { lazyPart, lazyParts } from './lazy-part.tsx'

const code = { default: ({ words }: { readonly words: string; readonly onClose?: () => void }) => <p>{words}</p> }
const load = vi.fn<() => Promise<typeof code>>()
const Part = lazyPart(() => load())
// This test alone controls when it is loaded.
lazyParts.clear()

function Page() {
  const [wanted, setWanted] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setWanted(true)}>
        show
      </button>
      <Part wanted={wanted} onClose={() => setWanted(false)} words="here" />
    </>
  )
}

test('code is loaded when it is needed; a failure is shown, the next try loads it, and later uses load nothing', async () => {
  const place = await openPage(<Page />)
  expect(load).not.toHaveBeenCalled()
  load.mockRejectedValueOnce(new Error('unreachable'))
  await click(button('show'))
  await until(() => expect(toasts()).toMatchObject([{ title: t('ui.unreachable'), role: 'alert' }]))
  expect(place.querySelector('p')).toBeNull()
  load.mockResolvedValueOnce(code)
  await click(button('show'))
  await until(() => expect(place.querySelector('p')?.textContent).toBe('here'))
  const other = await openPage(<Part wanted words="at once" />)
  await act(async () => {})
  expect([other.querySelector('p')?.textContent, load.mock.calls.length]).toEqual(['at once', 2])
})

test('code of a part that cannot be closed, such as the messages, is loaded when the platform is reachable again', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new Error('unreachable')))
  onTestFinished(() => void vi.unstubAllGlobals())
  const loadAlways = vi.fn<() => Promise<typeof code>>().mockResolvedValue(code)
  loadAlways.mockRejectedValueOnce(new Error('Failed to fetch dynamically imported module: part.js'))
  const Always = lazyPart(() => loadAlways())
  lazyParts.clear()
  const place = await openPage(<Always wanted words="here" />)
  await until(() => expect(isOnline()).toBe(false))
  await act(async () => markReachable())
  await until(() => expect(place.querySelector('p')?.textContent).toBe('here'))
})
