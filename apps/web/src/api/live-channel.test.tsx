// @vitest-environment jsdom
import { act, useState } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { click } from '../../test/acts.ts'
import { openPage, until } from '../../test/page.tsx'
import { useLive } from './live.ts'

/** Every connection that was opened, with its address and whether it is still open. */
interface Connection {
  readonly address: string
  running: boolean
  readonly onMessage: (target: string, message: object) => void
  readonly onClose: (refused: boolean) => void
}
const made = vi.hoisted(() => [] as Connection[])
vi.mock('./hub-connection.ts', () => ({
  openHub: async ({ address, onMessage, onClose }: Connection) => {
    const connection = { address, onMessage, onClose, running: true }
    made.push(connection)
    return () => {
      connection.running = false
    }
  },
}))

/** Channels that wait until the platform is reachable again. */
const waiting = vi.hoisted(() => new Set<unknown>())
vi.mock('./connection.ts', async (original) => {
  const real = await original<typeof import('./connection.ts')>()
  const onReturn: typeof real.onReturn = (listener) => {
    const stop = real.onReturn(listener)
    waiting.add(listener)
    return () => {
      waiting.delete(listener)
      return stop()
    }
  }
  return { ...real, onReturn }
})

const heard: string[] = []
const states: string[] = []
function Part({ name, game }: { readonly name: string; readonly game: number }) {
  const [, draw] = useState(0)
  const handlers = { VexilGame: () => void heard.push(name) }
  const state = useLive({ hub: '/hub/user', game, handlers, reads: [] })
  states.push(state)
  return (
    <button type="button" id={name} onClick={() => draw((times) => times + 1)}>
      {state}
    </button>
  )
}

function Page() {
  const [game, setGame] = useState<number | undefined>(7)
  return (
    <>
      {game && <Part name="notices" game={game} />}
      {game && <Part name="board" game={game} />}
      <button type="button" id="next" onClick={() => setGame((before) => (before === 7 ? 8 : undefined))}>
        next
      </button>
    </>
  )
}
const running = () => made.filter((one) => one.running).map(({ address }) => address)

test('LIVE-1 a channel has one connection for all its components and all their renders, and closes when they unmount', async () => {
  const place = await openPage(<Page />)
  const press = (id: string) => click(place.querySelector(`#${id}`))
  await until(() => expect(place.querySelector('#board')?.textContent).toBe('live'))
  for (let times = 0; times < 5; times++) for (const id of ['notices', 'board']) await press(id)
  expect(made.map(({ address }) => address)).toEqual(['/hub/user?game=7'])
  await act(async () => made[0]?.onMessage('VexilGame', {}))
  expect(heard.toSorted()).toEqual(['board', 'notices'])
  await press('next')
  await until(() => expect(running()).toEqual(['/hub/user?game=8']))
  expect(waiting.size).toBe(1)
  await press('next')
  await until(() => expect(running()).toEqual([]))
  expect(waiting.size).toBe(0)
  expect(made).toHaveLength(2)
})

test('LIVE-1 a component has the state of its channel when it mounts late, changes its game or is disabled', async () => {
  function One({ id, start, enabled }: { readonly id: string; readonly start: number; readonly enabled?: boolean }) {
    const [game, setGame] = useState(start)
    const live = useLive({ hub: '/hub/user', game, handlers: {}, reads: [], ...(enabled === false && { enabled }) })
    return (
      <button type="button" id={id} onClick={() => setGame(game + 1)}>
        {live}
      </button>
    )
  }
  function Parts() {
    const [late, setLate] = useState(false)
    return (
      <>
        <One id="first" start={31} />
        <One id="moving" start={31} />
        <One id="off" start={31} enabled={false} />
        {late && <One id="late" start={31} />}
        <button type="button" id="add" onClick={() => setLate(true)} />
      </>
    )
  }
  const place = await openPage(<Parts />)
  const shown = (...ids: string[]) => ids.map((id) => place.querySelector(`#${id}`)?.textContent)
  await until(() => expect(shown('first', 'moving', 'off')).toEqual(['live', 'live', 'off']))
  await click(place.querySelector('#add'))
  expect(shown('late')).toEqual(['live'])
  await click(place.querySelector('#moving'))
  await until(() => expect(shown('moving')).toEqual(['live']))
  // A channel that is refused does not try again.
  await act(async () => made.find(({ address, running }) => running && address.endsWith('=31'))?.onClose(true))
  expect(shown('first', 'late', 'moving')).toEqual(['off', 'off', 'live'])
})

test('LIVE-2 a channel that was open again is not blocked, however often it is lost', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => void vi.restoreAllMocks())
  const place = await openPage(<Page />)
  const state = () => place.querySelector('#board')?.textContent
  await until(() => expect(state()).toBe('live'))
  states.length = 0
  for (let times = 0; times < 4; times++) {
    const before = made.length
    await act(async () => made.at(-1)?.onClose(false))
    await until(() => expect([made.length, state()]).toEqual([before + 1, 'live']))
  }
  expect(new Set(states)).toEqual(new Set(['reconnecting', 'live']))
})
