// @vitest-environment jsdom
import { useQuery } from '@tanstack/react-query'
import { act, useState } from 'react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { openPage, until } from '../../test/page.tsx'
import { ConnectionNote } from '../shell/connection-note.tsx'
import { t } from '../ui/text/texts.tsx'
import { isOnline, watchConnection } from './connection.ts'
import { reopenChannels, useLive } from './live.ts'
import { keys } from './query-keys.ts'

vi.mock('./hub-connection.ts', async () => await import('../../test/hub.ts'))

/** Answers of the server, in the order of the requests. */
let answers: PromiseWithResolvers<string>[] = []
function List({ game, repeatedFor }: { readonly game: number; readonly repeatedFor?: number }) {
  const live = useLive({ hub: '/hub/user', game, handlers: {}, reads: [['list', game]], ...(repeatedFor && { repeatedFor }) })
  const ask = () => {
    answers.push(Promise.withResolvers())
    return answers.at(-1)?.promise
  }
  return <p data-live={live}>{useQuery({ queryKey: ['list', game], queryFn: ask }).data}</p>
}
const text = (place: HTMLElement) => [...place.querySelectorAll('p')].map(({ textContent }) => textContent).join('')
const answer = (place: number, text: string) => act(async () => answers[place]?.resolve(text))

beforeEach(() => {
  answers = []
  hub.waits = true
})
afterEach(() => {
  hub.waits = false
})

test('LIVE-2 changes between the first answer and the opening of the channel are requested when it opens', async () => {
  const place = await openPage(<List game={1} />)
  await answer(0, 'before')
  await until(() => expect(text(place)).toBe('before'))
  await hub.open()
  await until(() => expect(answers).toHaveLength(2))
  await answer(1, 'since')
  await until(() => expect(text(place)).toBe('since'))
})

test('LIVE-2 a first request that is running while the channel opens is sent again, as its answer may be older', async () => {
  const place = await openPage(<List game={2} />)
  await hub.open()
  await settle()
  expect(answers).toHaveLength(1)
  await answer(0, 'before')
  await until(() => expect(answers).toHaveLength(2))
  await answer(1, 'since')
  await until(() => expect(text(place)).toBe('since'))
})

test('what the platform repeats is not requested again when the channel opens, unless it is older than that', async () => {
  const place = await openPage(<List game={25} repeatedFor={15_000} />)
  await answer(0, 'young')
  await until(() => expect(text(place)).toBe('young'))
  await hub.open()
  await settle()
  expect(answers).toHaveLength(1)
  await openPage(<List game={26} repeatedFor={15_000} />)
  await hub.open()
  await settle()
  expect(answers).toHaveLength(2)
  for (const [number, age] of [
    [27, 15_000],
    [28, -60_000],
  ] as const) {
    answers = []
    const now = Date.now()
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now - age)
    await openPage(<List game={number} repeatedFor={15_000} />)
    await answer(0, 'old')
    clock.mockReturnValue(now)
    await hub.open()
    await until(() => expect(answers).toHaveLength(2))
    clock.mockRestore()
  }
})

test('LIVE-2 a component that joins an open channel requests cached data again, and missing data once', async () => {
  await openPage(<List game={3} />)
  await hub.open()
  await answer(0, 'a')
  await until(() => expect(answers).toHaveLength(2))
  await answer(1, 'b')
  await openPage(<List game={3} />)
  await settle()
  expect(answers).toHaveLength(3)
  await answer(2, 'c')
  await openPage(<List game={3} />, [[['list', 3], 'kept']])
  await until(() => expect(answers).toHaveLength(4))
})

test('LIVE-1 LIVE-2 LIVE-8 a lost channel reconnects as one connection, and missed changes are requested', async () => {
  onTestFinished(watchConnection())
  vi.stubGlobal('fetch', async () => new Response('Healthy'))
  const place = await openPage(
    <>
      <List game={4} />
      <List game={4} />
    </>,
  )
  const before = hub.connections.length
  await hub.open()
  await answer(0, 'a')
  await until(() => expect(answers.length).toBeGreaterThan(1))
  for (const [at] of answers.entries()) await answer(at, 'b')
  await hub.lose()
  await until(() => expect(hub.connections).toHaveLength(before + 1))
  const requests = answers.length
  await hub.open()
  await until(() => expect(answers.length).toBeGreaterThan(requests))
  for (const [at] of answers.entries()) await answer(at, 'missed')
  await until(() => expect(text(place)).toBe('missedmissed'))
})

test('LIVE-9 where no channel can be opened although the platform answers, the page shows so until one opens', async () => {
  onTestFinished(watchConnection())
  vi.stubGlobal('fetch', async () => new Response('Healthy'))
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const page = (
    <>
      <List game={5} />
      <ConnectionNote />
    </>
  )
  const place = await openPage(page, [[keys.profile, { userName: 'ann', role: 'User' }]])
  const note = () => place.querySelector('[role=status]')?.textContent
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const notes: unknown[] = []
  for (let tries = 0; tries < 4; tries++) {
    await hub.refuse()
    notes.push(note())
    await act(async () => void (await vi.advanceTimersByTimeAsync(30_000)))
  }
  expect(t('shell.liveOff')).not.toBe('')
  expect(notes).toEqual([undefined, undefined, undefined, t('shell.liveOff')])
  await hub.open()
  expect(note()).toBeUndefined()
})

/** A list with its channel, fake timers and a platform that answers. */
async function openWatched(number: number) {
  onTestFinished(watchConnection())
  vi.stubGlobal('fetch', async () => new Response('Healthy'))
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  let show = (_: boolean) => {}
  const Left = () => {
    const [isShown, setShown] = useState(true)
    show = setShown
    return isShown ? <List game={number} /> : null
  }
  const page = (
    <>
      <Left />
      <ConnectionNote />
    </>
  )
  const place = await openPage(page, [[keys.profile, { userName: 'ann', role: 'User' }]])
  // Only of this game: channels of earlier tests also react to the network.
  const made = () => hub.connections.filter(({ address }) => address.endsWith(`?game=${number}`))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const newest = (end: (one: (typeof hub.connections)[number]) => void) => act(async () => made().slice(-1).forEach(end))
  return {
    made,
    live: () => place.querySelector('p')?.dataset.live,
    note: () => place.querySelector('[role=status]')?.textContent,
    leave: () => act(async () => show(false)),
    comeBack: () => act(async () => show(true)),
    open: () => newest(({ opened }) => opened.resolve()),
    refuse: () => newest(({ opened }) => opened.reject(new Error('refused'))),
    lose: (refused = false) => newest(({ options }) => options.onClose(refused)),
  }
}
const pass = (ms: number) => act(async () => void (await vi.advanceTimersByTimeAsync(ms)))
const networkIsBack = () => act(async () => void window.dispatchEvent(new Event('online')))

test('LIVE-8 when the network is back, a channel that waits for its next try connects within a second, once, and resets its count of tries', async () => {
  const { made, refuse } = await openWatched(11)
  for (let tries = 0; tries < 3; tries++) {
    await refuse()
    await pass(20_000)
  }
  await refuse()
  expect(made()).toHaveLength(4)
  await networkIsBack()
  await pass(499)
  expect(made()).toHaveLength(4)
  await pass(1)
  expect(made()).toHaveLength(5)
  // The attempt that was scheduled before does not happen as well.
  await pass(60_000)
  expect(made()).toHaveLength(5)
  await refuse()
  await pass(1000)
  expect(made()).toHaveLength(6)
})

test('LIVE-8 a channel that opens late, after the network came back, is closed in favour of its replacement', async () => {
  const { made, open, lose } = await openWatched(12)
  await open()
  await lose()
  await pass(1000)
  expect(made()).toHaveLength(2)
  await networkIsBack()
  await open()
  await pass(1000)
  await open()
  expect(made().map(({ isClosed }) => isClosed)).toEqual([true, true, false])
})

test('LIVE-8 while the platform is unreachable a lost channel makes no try; its return causes one', async () => {
  const { made, refuse } = await openWatched(16)
  vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('reset')))
  await refuse()
  await pass(60_000)
  expect([isOnline(), made().length]).toEqual([false, 1])
  vi.stubGlobal('fetch', async () => new Response('Healthy'))
  await networkIsBack()
  await pass(500)
  expect([isOnline(), made().length]).toEqual([true, 2])
})

test('LIVE-8 an open channel is replaced after an outage, as it may be dead', async () => {
  const { made, open } = await openWatched(13)
  await open()
  vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('reset')))
  await networkIsBack()
  expect(isOnline()).toBe(false)
  vi.stubGlobal('fetch', async () => new Response('Healthy'))
  await networkIsBack()
  await pass(500)
  await open()
  expect(made().map(({ isClosed }) => isClosed)).toEqual([true, false])
  // Nothing was missed if the platform was always reachable.
  await networkIsBack()
  await pass(5000)
  expect(made()).toHaveLength(2)
  // A message on the channel also counts as an answer of the platform.
  await act(async () => void window.dispatchEvent(new Event('offline')))
  expect(isOnline()).toBe(false)
  await act(async () => made().at(-1)?.options.onMessage('VexilGame', {}))
  expect(isOnline()).toBe(true)
  // So does its opening.
  await pass(1000)
  await act(async () => void window.dispatchEvent(new Event('offline')))
  await open()
  expect(isOnline()).toBe(true)
})

test('LIVE-8 a channel whose opening is not answered before an outage connects again after it', async () => {
  const { made, open } = await openWatched(30)
  await act(async () => void window.dispatchEvent(new Event('offline')))
  await networkIsBack()
  await pass(500)
  await open()
  expect(made().map(({ isOpen }) => isOpen)).toEqual([false, true])
})

test.each([
  ['after it is open', true, 31],
  ['while it opens', false, 32],
])('a channel that the hub refuses %s does not connect again; another account connects it', async (_, isOpen, number) => {
  const { made, open, lose, live } = await openWatched(number)
  if (isOpen) await open()
  await lose(true)
  await open()
  await networkIsBack()
  await pass(60_000)
  expect([made().length, live()]).toEqual([1, 'off'])
  await act(async () => reopenChannels())
  expect(live()).toBe('connecting')
  await pass(0)
  await open()
  expect([made().length, live()]).toEqual([2, 'live'])
  // One that is open belongs to the former account.
  await act(async () => reopenChannels())
  await pass(0)
  expect(made().map(({ isClosed }) => isClosed)).toEqual([true, true, false])
})

test('LIVE-9 the message that live updates are off disappears when the component that needs them unmounts', async () => {
  const { note, refuse, leave } = await openWatched(15)
  for (let tries = 0; tries < 4; tries++) {
    await refuse()
    if (tries < 3) await pass(20_000)
  }
  expect(note()).toBe(t('shell.liveOff'))
  await leave()
  await pass(1000)
  expect(note()).toBeUndefined()
})

test('LIVE-1 a channel that is left while it waits for its next try does not connect', async () => {
  const { made, refuse, leave } = await openWatched(14)
  for (let tries = 0; tries < 2; tries++) {
    await refuse()
    if (tries === 0) await pass(1000)
  }
  await leave()
  await pass(1000)
  await networkIsBack()
  await pass(60_000)
  expect(made()).toHaveLength(2)
})

test('LIVE-1 a channel that is used again within a second of being left stays open', async () => {
  const { made, open, leave, comeBack } = await openWatched(29)
  await open()
  await leave()
  await pass(900)
  await comeBack()
  await pass(1000)
  expect(made().map(({ isClosed }) => isClosed)).toEqual([false])
})
