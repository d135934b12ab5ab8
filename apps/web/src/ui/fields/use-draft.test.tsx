// @vitest-environment jsdom
import { act } from 'react'
import { createRoot } from 'react-dom/client'
import { expect, test } from 'vitest'
import { type Draft, useDraft } from './use-draft.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

interface Fields {
  readonly title: string
  readonly tags?: readonly string[]
}

/** A form based on the server's data. */
function mount(first: Fields) {
  let draft: Draft<Fields> | undefined
  const Probe = ({ saved }: { saved: Fields }) => {
    draft = useDraft(saved)
    return null
  }
  const root = createRoot(document.createElement('div'))
  const show = (saved: Fields) => act(() => root.render(<Probe saved={saved} />))
  show(first)
  return { show, now: () => draft as Draft<Fields> }
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

test('FB-6 what was edited while a form was being saved is still a change afterwards', () => {
  const { now } = mount({ title: 'one', tags: ['web'] })
  act(() => now().set({ title: ' two ' }))
  act(() => now().set({ title: 'two', tags: ['pwn'] }))
  act(() => now().rebase({ title: 'two', tags: ['web'] }))
  expect([now().value, now().changed]).toEqual([{ title: 'two', tags: ['pwn'] }, ['tags']])
})

test('FB-6 a list with the same entries is not a change', () => {
  const { show, now } = mount({ title: 'one', tags: ['web'] })
  act(() => now().set({ tags: ['web', 'pwn'] }))
  expect(now().changed).toEqual(['tags'])
  act(() => now().set({ tags: ['web'] }))
  expect(now().changed).toEqual([])
  show({ title: 'one', tags: ['web'] })
  expect(now().changed).toEqual([])
})
