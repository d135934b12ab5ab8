// @vitest-environment jsdom
import { useQuery } from '@tanstack/react-query'
import { act, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { button, named, settle } from '../../../test/acts.ts'
import { openPage, until } from '../../../test/page.tsx'
import { FeedState } from './feed-state.tsx'
import { Pager } from './pager.tsx'
import { useFeed } from './use-feed.ts'

const scrolled = vi.fn()
beforeEach(() => {
  scrolled.mockReset()
  vi.stubGlobal('scrollTo', scrolled)
})
afterEach(() => void vi.unstubAllGlobals())

let entries: string[] = []
let say = (_: string) => {}
function Feed() {
  const [page, setPage] = useState(1)
  const queryKey = ['feed', page]
  const feed = useFeed<string>({ queryKey, family: ['feed'], keyOf: (entry) => entry, most: 2, canPause: true }, page, setPage)
  const list = useQuery({ queryKey, queryFn: () => entries.slice(page * 2 - 2, page * 2), staleTime: 0, enabled: feed.loads })
  say = (entry) => {
    entries = [entry, ...entries]
    feed.add(entry)
  }
  return (
    <>
      <FeedState
        live="live"
        waiting={feed.waiting}
        paused={feed.paused}
        onCatchUp={feed.catchUp}
        onPause={() => void feed.pause()}
      />
      <Pager page={page} last={page === 2} onTurn={feed.turn} />
      <ol>{list.data?.join(' ')}</ol>
      <output>{[...feed.fresh].join(' ')}</output>
    </>
  )
}
const press = (key: string) =>
  act(async () => void document.documentElement.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true })))

test('EV-5 a paused feed can be resumed after its channel was closed', async () => {
  const resume = vi.fn()
  await openPage(<FeedState live="off" waiting={1} paused onCatchUp={() => {}} onPause={resume} />)
  await act(async () => button('Resume')?.click())
  expect(resume).toHaveBeenCalledOnce()
})

test('the arrow keys turn the pages of a feed; page 1 then shows what came meanwhile, and no longer counts it', async () => {
  entries = ['d', 'c', 'b', 'a']
  const place = await openPage(<Feed />)
  const shown = () => place.querySelector('ol')?.textContent
  await until(() => expect(shown()).toBe('d c'))
  await press('ArrowLeft')
  expect(scrolled).not.toHaveBeenCalled()
  await press('ArrowRight')
  await until(() => expect(shown()).toBe('b a'))
  expect(scrolled).toHaveBeenLastCalledWith({ top: 0 })
  await press('ArrowRight')
  expect(shown()).toBe('b a')
  await act(async () => say('e'))
  expect(button('1 new')).toBeTruthy()
  await press('ArrowLeft')
  await until(() => expect(shown()).toBe('e d'))
  expect(button('1 new')).toBeUndefined()
  await press('ArrowRight')
  await act(async () => say('f'))
  scrolled.mockReset()
  await act(async () => button('1 new')?.click())
  await until(() => expect(shown()).toBe('f e'))
  expect(scrolled).toHaveBeenLastCalledWith({ top: 0 })
  // Page 1 keeps its length, and only entries that can be on it are highlighted.
  for (const entry of ['g', 'h', 'i']) await act(async () => say(entry))
  expect([shown(), place.querySelector('output')?.textContent]).toEqual(['i h', 'h i'])
})

test('the buttons of a feed turn its pages, and end at the first and the last one', async () => {
  entries = ['d', 'c', 'b', 'a']
  const place = await openPage(<Feed />)
  const shown = () => place.querySelector('ol')?.textContent
  const usable = () => ['Previous page', 'Next page'].map((name) => !named<HTMLButtonElement>(name)?.disabled)
  await until(() => expect(shown()).toBe('d c'))
  expect(usable()).toEqual([false, true])
  await act(async () => named('Next page')?.click())
  await until(() => expect(shown()).toBe('b a'))
  expect(usable()).toEqual([true, false])
  await act(async () => named('Previous page')?.click())
  await until(() => expect(shown()).toBe('d c'))
})

test('EV-5 a paused feed counts what comes, keeps its pages, and shows everything when it continues', async () => {
  entries = ['d', 'c', 'b', 'a']
  const place = await openPage(<Feed />)
  const shown = () => place.querySelector('ol')?.textContent
  await until(() => expect(shown()).toBe('d c'))
  await press('p')
  expect(button('Resume')).toBeTruthy()
  await act(async () => say('e'))
  expect(shown()).toBe('d c')
  // A page that was not read yet is read.
  await press('ArrowRight')
  await until(() => expect(shown()).toBe('c b'))
  await press('ArrowLeft')
  await settle()
  // One that was read is as it was, and its new entry is still counted.
  expect([shown(), place.querySelector('[role=status]')?.textContent]).toEqual(['d c', 'Paused, 1 new entry'])
  scrolled.mockReset()
  await press('p')
  await until(() => expect(shown()).toBe('e d'))
  expect([button('Pause') !== undefined, button('1 new'), scrolled.mock.calls]).toEqual([true, undefined, [[{ top: 0 }]]])
})
