// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { button } from '../../../test/acts.ts'
import { openPage } from '../../../test/page.tsx'
import { SaveBar } from './save-bar.tsx'

const calls = { onSave: vi.fn(), onDiscard: vi.fn() }
const notes = [
  { key: 'effect', text: 'Teams are notified' },
  { key: 'title', text: 'The title is missing', wrong: true },
]
const free = () => ['Discard', 'Save 2 changes'].map((name) => button(name)?.matches(':enabled'))

test('what prevents saving is listed first; without changes, and while they are saved, neither button can be used', async () => {
  const place = await openPage(<SaveBar notes={notes} save="Save 2 changes" changed {...calls} />)
  expect([...place.querySelectorAll('li')].map((note) => [note.textContent, note.hasAttribute('data-wrong')])).toEqual([
    ['The title is missing', true],
    ['Teams are notified', false],
  ])
  expect(place.querySelector('ul')?.getAttribute('aria-live')).toBe('polite')
  expect(free()).toEqual([true, false])
  for (const [state, usable] of [
    [{ changed: true }, [true, true]],
    [{ changed: false }, [false, false]],
    [{ changed: true, saving: true }, [false, false]],
  ] as const) {
    await openPage(<SaveBar notes={[]} save="Save 2 changes" {...state} {...calls} />)
    expect(free()).toEqual(usable)
  }
})
