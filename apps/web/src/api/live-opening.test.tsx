// @vitest-environment jsdom
import { useQuery } from '@tanstack/react-query'
import { act } from 'react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { openPage, until } from '../../test/page.tsx'
import { ConnectionNote } from '../shell/connection-note.tsx'
import { t } from '../ui/texts.tsx'
import { watchConnection } from './connection.ts'
import { keys } from './keys.ts'
import { useLive } from './live.ts'

vi.mock('./hub-connection.ts', async () => await import('../../test/hub.ts'))

/** Answers of the server, in the order of the questions. */
let answers: PromiseWithResolvers<string>[] = []
function List({ game }: { readonly game: number }) {
  useLive({ hub: '/hub/user', game, hear: {}, reads: [['list', game]] })
  const ask = () => {
    answers.push(Promise.withResolvers())
    return answers.at(-1)?.promise
  }
  return <p>{useQuery({ queryKey: ['list', game], queryFn: ask }).data}</p>
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

test('LIVE-2 what happened between the first answer and the opening of the channel is asked for when it opens', async () => {
  const place = await openPage(<List game={1} />)
  await answer(0, 'before')
  await until(() => expect(text(place)).toBe('before'))
  await hub.open()
  await until(() => expect(answers).toHaveLength(2))
  await answer(1, 'since')
  await until(() => expect(text(place)).toBe('since'))
})

test('LIVE-2 a first answer that is under way while the channel opens may be older than it, and is asked for once more', async () => {
  const place = await openPage(<List game={2} />)
  await hub.open()
  await settle()
  expect(answers).toHaveLength(1)
  await answer(0, 'before')
  await until(() => expect(answers).toHaveLength(2))
  await answer(1, 'since')
  await until(() => expect(text(place)).toBe('since'))
})

test('LIVE-2 a part that joins an open channel asks again for what it kept, and once for what it did not', async () => {
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

test('LIVE-1 LIVE-2 LIVE-8 a lost channel comes back by itself as one connection, and what was missed is asked for', async () => {
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
  const asked = answers.length
  await hub.open()
  await until(() => expect(answers.length).toBeGreaterThan(asked))
  for (const [at] of answers.entries()) await answer(at, 'missed')
  await until(() => expect(text(place)).toBe('missedmissed'))
})

test('LIVE-9 where no channel can be opened although the platform answers, the page says so until one opens', async () => {
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
