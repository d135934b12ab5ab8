// @vitest-environment jsdom
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, test } from 'vitest'
import { type Draft, useDraft } from './use-draft.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

/** A form with one field, based on the server's data. */
function mount(first: { title: string }) {
  let draft: Draft<{ title: string }> | undefined
  const Probe = ({ saved }: { saved: { title: string } }) => {
    draft = useDraft(saved)
    return null
  }
  const root = createRoot(document.createElement('div'))
  const show = (saved: { title: string }) => act(() => root.render(<Probe saved={saved} />))
  show(first)
  return { show, now: () => draft as Draft<{ title: string }> }
}

test('FB-6 new data of the server appear in an unchanged form and are held back in a changed one', () => {
  const { show, now } = mount({ title: 'one' })
  show({ title: 'two' })
  expect(now().value.title).toBe('two')
  act(() => now().set({ title: 'mine' }))
  show({ title: 'three' })
  expect(now().value.title).toBe('mine')
  expect(now().changed).toEqual(['title'])
  act(() => now().discard())
  expect(now().value.title).toBe('three')
})

test('FB-6 after saving nothing counts as changed, even before the fresh data arrive', () => {
  const { show, now } = mount({ title: 'one' })
  act(() => now().set({ title: ' two ' }))
  act(() => now().accept({ title: 'two' }))
  expect(now().value.title).toBe('two')
  expect(now().changed).toEqual([])
  show({ title: 'two' })
  expect(now().value.title).toBe('two')
})
