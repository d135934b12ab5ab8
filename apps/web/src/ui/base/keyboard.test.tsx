// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, onTestFinished, test } from 'vitest'
import { button, click } from '../../../test/acts.ts'
import { openPage } from '../../../test/page.tsx'
import { chooseLetters, runShown, useKeys, useShownKeys } from './keyboard.ts'

function Counter({ counted }: { readonly counted: (count: number) => void }) {
  const [count, setCount] = useState(0)
  useKeys([
    {
      key: 'n',
      name: 'Count one more',
      act: () => {
        counted(count + 1)
        setCount(count + 1)
      },
    },
  ])
  return null
}
const List = () =>
  useShownKeys().map(({ key, name, act }) => (
    <button key={key} type="button" onClick={act}>
      {name}
    </button>
  ))

test('a letter is a shortcut outside fields and dialogs', async () => {
  const seen: number[] = []
  const place = await openPage(
    <>
      <Counter counted={(count) => seen.push(count)} />
      <div role="dialog">
        <button type="button">Cancel</button>
      </div>
    </>,
  )
  const press = (target: Element | null) =>
    act(async () => void target?.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', code: 'KeyN', bubbles: true })))
  await press(place.querySelector('[role=dialog] button'))
  expect(seen).toEqual([])
  await press(place)
  expect(seen).toEqual([1])
  onTestFinished(() => chooseLetters(true))
  await act(async () => chooseLetters(false))
  await press(place)
  expect(seen).toEqual([1])
})

test('a key that two parts use belongs to the newer one', async () => {
  const [older, newer]: [number[], number[]] = [[], []]
  await openPage(<Counter counted={(count) => older.push(count)} />)
  await openPage(<Counter counted={(count) => newer.push(count)} />)
  await act(async () => runShown('n'))
  expect([older, newer]).toEqual([[], [1]])
})

test('PAL-2 an entry of the list of keys acts on the present state of its screen, and leaves the list with the screen', async () => {
  const seen: number[] = []
  const place = await openPage(<Screens counted={(count) => seen.push(count)} />)
  await click(button('Count one more'))
  await click(button('Count one more'))
  expect(seen).toEqual([1, 2])
  await act(async () => button('Leave')?.click())
  expect([...place.querySelectorAll('button')].map(({ textContent }) => textContent)).toEqual(['Leave'])
})

function Screens({ counted }: { readonly counted: (count: number) => void }) {
  const [left, setLeft] = useState(false)
  return (
    <>
      {!left && <Counter counted={counted} />}
      <List />
      <button type="button" onClick={() => setLeft(true)}>
        Leave
      </button>
    </>
  )
}
