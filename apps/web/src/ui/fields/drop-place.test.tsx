// @vitest-environment jsdom
import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { click } from '../../../test/acts.ts'
import { openPage } from '../../../test/page.tsx'
import { DropPlace } from './drop-place.tsx'
import { FileButton } from './file-button.tsx'

const files = ['a.png', 'b.png'].map((name) => new File(['x'], name, { type: 'image/png' }))

function drop(target: Element | null, type = 'drop') {
  const event = Object.assign(new Event(type, { bubbles: true, cancelable: true }), { dataTransfer: { files } })
  act(() => void target?.dispatchEvent(event))
  return event.defaultPrevented
}

test('files are dropped, or chosen with the button of that name; only one where one is allowed, none while it is busy', async () => {
  const onFiles = vi.fn()
  const place = await openPage(
    <>
      <DropPlace label="Poster" accept={['image/png', 'image/gif']} disabled={false} onFiles={onFiles}>
        one
      </DropPlace>
      <DropPlace label="Flags" multiple disabled={false} onFiles={onFiles}>
        many
      </DropPlace>
      <DropPlace label="Busy" disabled onFiles={onFiles}>
        none
      </DropPlace>
    </>,
  )
  const [one, many, busy] = [...place.querySelectorAll('button')]
  const input = place.querySelector('input')
  expect([one?.querySelector('.unseen')?.textContent, input?.accept, input?.multiple]).toEqual([
    'Poster ',
    'image/png,image/gif',
    false,
  ])
  expect([one, many, busy].map((button) => button?.disabled)).toEqual([false, false, true])
  const opened = vi.spyOn(input as HTMLInputElement, 'click')
  await click(one)
  expect(opened).toHaveBeenCalledOnce()
  // Without preventDefault the browser would open the file in place of the page.
  expect([drop(one ?? null, 'dragover'), one?.hasAttribute('data-accept')]).toEqual([true, true])
  drop(one ?? null, 'dragleave')
  expect(one?.hasAttribute('data-accept')).toBe(false)
  drop(one ?? null, 'dragenter')
  drop(busy ?? null, 'dragover')
  expect([one, busy].map((target) => target?.hasAttribute('data-accept'))).toEqual([true, false])
  expect(place.querySelectorAll('input')[1]?.multiple).toBe(true)
  for (const target of [one, many, busy]) drop(target ?? null)
  expect(one?.hasAttribute('data-accept')).toBe(false)
  expect(onFiles.mock.calls).toEqual([[[files[0]]], [files]])
  // Without this the browser reports no change when the same file is chosen again.
  Object.defineProperty(input, 'files', { value: files })
  const emptied = vi.spyOn(input as HTMLInputElement, 'value', 'set')
  act(() => void input?.dispatchEvent(new Event('change', { bubbles: true })))
  expect([onFiles.mock.lastCall, emptied.mock.calls]).toEqual([[[files[0]]], [['']]])
})

test('a button opens the file chooser, in which the same file can be chosen again', async () => {
  const onFile = vi.fn()
  const place = await openPage(<FileButton onFile={onFile}>{(props) => <button {...props}>Import</button>}</FileButton>)
  const input = place.querySelector('input') as HTMLInputElement
  const opened = vi.spyOn(input, 'click')
  await click(place.querySelector('button'))
  expect(opened).toHaveBeenCalledOnce()
  const emptied = vi.spyOn(input, 'value', 'set')
  const choose = (chosen: File[]) => {
    Object.defineProperty(input, 'files', { configurable: true, value: chosen })
    act(() => void input.dispatchEvent(new Event('change', { bubbles: true })))
  }
  choose(files.slice(0, 1))
  expect([onFile.mock.calls, emptied.mock.calls]).toEqual([[[files[0]]], [['']]])
  // The chooser was cancelled.
  choose([])
  expect(onFile).toHaveBeenCalledOnce()
})
