// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { button, click } from '../../../test/acts.ts'
import { openPage } from '../../../test/page.tsx'
import { SaveBar } from './save-bar.tsx'

const calls = { onSave: vi.fn(), onDiscard: vi.fn() }
const notes = [
  { key: 'effect', text: 'Teams are notified', icon: <i>!</i> },
  { key: 'title', text: 'The title is missing', wrong: true },
]
const free = () => ['Discard', 'Save 2 changes'].map((name) => button(name)?.matches(':enabled'))

test('what prevents saving is listed first; without changes, and while they are saved, neither button can be used', async () => {
  const place = await openPage(<SaveBar notes={notes} save="Save 2 changes" changed {...calls} />)
  expect([...place.querySelectorAll('li')].map((note) => [note.textContent, note.hasAttribute('data-wrong')])).toEqual([
    ['The title is missing', true],
    ['!Teams are notified', false],
  ])
  expect(place.querySelectorAll('li svg')).toHaveLength(1)
  // Messages leave it uncovered.
  expect(place.querySelector('[data-bottom-bar]')?.contains(button('Discard') ?? null)).toBe(true)
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
  await openPage(<SaveBar notes={[]} save="Save 2 changes" changed {...calls} />)
  const made = () => [calls.onSave.mock.calls.length, calls.onDiscard.mock.calls.length]
  await click(button('Save 2 changes'))
  expect(made()).toEqual([1, 0])
  await click(button('Discard'))
  expect(made()).toEqual([1, 1])
})
