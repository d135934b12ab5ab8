// @vitest-environment jsdom
import { IconHome } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { act, type ComponentProps, useState } from 'react'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { button, click } from '../../../test/acts.ts'
import { openPage, until } from '../../../test/page.tsx'
import { Refusal } from '../../api/client.ts'
import { watchConnection } from '../../api/connection.ts'
import { FeedState } from './feed-state.tsx'
import { SideLinks, TopLinks } from './links.tsx'
import { Empty, QueryView, Reconnecting } from './states.tsx'

afterEach(() => void vi.unstubAllGlobals())

let answers: PromiseWithResolvers<string>[] = []
function List({ waiting }: { readonly waiting?: string }) {
  const query = useQuery({
    queryKey: ['list'],
    queryFn: () => {
      answers.push(Promise.withResolvers())
      return answers.at(-1)?.promise ?? ''
    },
  })
  return (
    <>
      <QueryView query={query} waiting={waiting}>
        {(text) => <b>{text}</b>}
      </QueryView>
      <button type="button" onClick={() => void query.refetch()}>
        Refresh
      </button>
    </>
  )
}
const settle = (text?: string) =>
  act(async () =>
    text === undefined
      ? answers.at(-1)?.reject(new Refusal(500, { title: 'Full', requestId: 'f6g7h8' }))
      : answers.at(-1)?.resolve(text),
  )

test('FB-1 a list shows placeholders, then a failure with a way to try again, then its data', async () => {
  answers = []
  const place = await openPage(<List />)
  expect(place.querySelector('[role=status][data-loading]')?.textContent).toBe('Loading')
  await settle()
  const alert = () => place.querySelector('[role=alert]')
  await until(() => expect(alert()?.textContent).toMatch(/Full.*f6g7h8/))
  await click(button('Retry'))
  expect(alert()).toBeNull()
  expect(place.querySelector('[data-loading]')).not.toBeNull()
  await settle('one')
  await until(() => expect(place.querySelector('b')?.textContent).toBe('one'))
  expect(place.querySelector('[role=status]')).toBeNull()
  place.remove()
  expect((await openPage(<List waiting="An outline" />)).textContent).toContain('An outline')
})

test('FB-1 data stays when a refresh fails, with its age; while the platform is unreachable only the shell says so', async () => {
  answers = []
  const place = await openPage(<List />)
  await settle('one')
  await click(button('Refresh'))
  await settle()
  const note = () => place.querySelector('[role=status]')
  await until(() => expect(note()?.textContent).toMatch(/^Could not refresh\. Data from \d\d:\d\d ?Retry$/))
  expect(place.querySelector('b')?.textContent).toBe('one')
  onTestFinished(watchConnection())
  await act(async () => void window.dispatchEvent(new Event('offline')))
  expect(note()).toBeNull()
  vi.stubGlobal('fetch', async () => new Response('Healthy'))
  await act(async () => void window.dispatchEvent(new Event('online')))
  await until(() => expect(note()).not.toBeNull())
  const before = answers.length
  await click(button('Retry'))
  expect(answers).toHaveLength(before + 1)
  await settle('two')
  await until(() => expect(place.querySelector('b')?.textContent).toBe('two'))
  expect(note()).toBeNull()
})

test('LIVE-9 a panel without its channel says so, except while the whole platform is unreachable', async () => {
  const place = await openPage(<Reconnecting />)
  expect(place.querySelector('[role=status]')?.textContent).toBe('reconnecting')
  onTestFinished(watchConnection())
  await act(async () => void window.dispatchEvent(new Event('offline')))
  expect(place.querySelector('[role=status]')).toBeNull()
  // Queries and actions of later tests would wait for it.
  vi.stubGlobal('fetch', async () => new Response('Healthy'))
  await act(async () => void window.dispatchEvent(new Event('online')))
})

test('an empty page has a heading, an empty part has none', async () => {
  const place = await openPage(
    <>
      <Empty page flag="N" title="No games" text="Come back later" action={<button type="button">Create</button>} />
      <Empty icon={<i>i</i>} title="No notices" />
    </>,
  )
  expect([...place.querySelectorAll('h1')].map(({ textContent }) => textContent)).toEqual(['No games'])
  expect(place.querySelector('svg')).not.toBeNull()
  for (const text of ['Come back later', 'Create', 'No notices']) expect(place.textContent).toContain(text)
  expect(place.querySelectorAll('i')).toHaveLength(1)
})

test('a row of links that overflows is scrolled to the current one, and again when another one is', async () => {
  const scrolled: (string | null)[] = []
  await openPage(null)
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    scrolled.push(this.textContent)
  })
  onTestFinished(() => scroll.mockRestore())
  let choose = (_: string) => {}
  function Links() {
    const [chosen, setChosen] = useState('Two')
    choose = setChosen
    const entries = ['One', 'Two'].map((name) => ({ to: `/${name}`, name, current: name === chosen }))
    return <TopLinks label="Parts" entries={entries} />
  }
  const place = await openPage(<Links />)
  expect(place.querySelector('nav')?.getAttribute('aria-label')).toBe('Parts')
  expect(scrolled).toEqual(['Two'])
  expect(scroll.mock.lastCall).toEqual([{ block: 'nearest', inline: 'center' }])
  await act(async () => choose('One'))
  expect(scrolled).toEqual(['Two', 'One'])
})

test.each<[string, Partial<ComponentProps<typeof FeedState>>, string]>([
  ['a live feed can be paused', {}, 'Pause'],
  ['new entries of a live feed have a button', { waiting: 2 }, '2 newPause'],
  ['a paused feed counts new entries, and continues', { waiting: 2, paused: true }, 'Paused, 2 new entriesResume'],
  ['a paused feed without new entries has no count', { paused: true }, 'Resume'],
  ['a channel that is off cannot be paused', { live: 'off' }, ''],
  ['a channel that is off during a pause can be resumed', { live: 'off', paused: true }, 'Resume'],
  ['a feed without a pause has only the button of new entries', { waiting: 1, onPause: undefined }, '1 new'],
])('%s', async (_, props, shown) => {
  const onCatchUp = vi.fn()
  const onPause = vi.fn()
  const whole = { live: 'live', waiting: 0, paused: false, onCatchUp, onPause, ...props } as const
  const place = await openPage(
    <main>
      <FeedState {...whole} />
    </main>,
  )
  expect(place.querySelector('main')?.textContent).toBe(shown)
  for (const one of place.querySelectorAll('button')) await click(one)
  const names = [...place.querySelectorAll('button')].map(({ textContent }) => textContent ?? '')
  expect(onCatchUp).toHaveBeenCalledTimes(names.filter((name) => name.endsWith(' new')).length)
  expect(onPause).toHaveBeenCalledTimes(names.filter((name) => /Pause|Resume/.test(name)).length)
  expect(button('Resume')?.getAttribute('aria-pressed')).toBe(whole.paused ? 'true' : undefined)
})

test('links beside a screen have a name, mark the current one, and show a count where there is one', async () => {
  const links = [
    { to: '/one', name: 'One', current: false, count: 0 },
    { to: '/two', name: 'Two', current: true },
  ].map((link) => ({ ...link, Icon: IconHome }))
  const place = await openPage(<SideLinks label="Parts" entries={links} />)
  expect(place.querySelector('nav')?.getAttribute('aria-label')).toBe('Parts')
  const shown = [...place.querySelectorAll('a')].map((link) => [
    link.getAttribute('href'),
    link.textContent,
    link.getAttribute('aria-current'),
    link.querySelectorAll('span').length,
  ])
  expect(shown).toEqual([
    ['/one', 'One0', null, 1],
    ['/two', 'Two', 'page', 0],
  ])
})

test('a list without data is still loading, also when its data is null', async () => {
  const query = { data: null, error: null, isPending: false, isFetching: true, dataUpdatedAt: 0, refetch: vi.fn() }
  const place = await openPage(<QueryView query={query as never}>{() => <b>Data</b>}</QueryView>)
  expect([place.querySelector('[data-loading]') !== null, place.querySelector('b')]).toEqual([true, null])
})
