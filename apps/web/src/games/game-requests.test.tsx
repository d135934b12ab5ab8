// @vitest-environment jsdom
import { act, useState } from 'react'
import { Route, Routes } from 'react-router'
import { expect, onTestFinished, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { hub } from '../../test/hub.ts'
import { openPage, until } from '../../test/page.tsx'
import { serve } from '../../test/server.ts'
import { keys } from '../api/query-keys.ts'
import { SiteWatch } from '../shell/site-watch.tsx'
import GameScreen from './game.screen.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))

const game = { id: 7, title: 'Regatta', content: '', summary: '', limit: 0, status: 'Unsubmitted', registered: {} }
const times = { start: '2026-01-01T00:00:00+00:00', end: '2036-01-01T00:00:00+00:00' }

test('LIVE-2 a game whose channel is open before its screen is requested once', async () => {
  const requests = serve(({ path }) => (path === '/api/game/7' ? { ...game, ...times } : []))
  let show = () => {}
  /** The code of the screen is loaded after the frame. */
  function Late() {
    const [loaded, setLoaded] = useState(false)
    show = () => setLoaded(true)
    return (
      <>
        <SiteWatch />
        {loaded && (
          <Routes>
            <Route path="/games/:id" element={<GameScreen />} />
          </Routes>
        )}
      </>
    )
  }
  const known: Parameters<typeof openPage>[1] = [
    [keys.config, { title: 'GZ', setupRequired: false }],
    [keys.profile, { userId: 'u', userName: 'ann', role: 'User' }],
  ]
  const place = await openPage(<Late />, known, '/games/7')
  await until(() => expect(hub.connections.map(({ isOpen }) => isOpen)).toEqual([true]))
  await act(async () => show())
  await until(() => expect(place.querySelector('h1')?.textContent).toBe('Regatta'))
  await settle(100)
  expect(requests.filter(({ path }) => path === '/api/game/7')).toHaveLength(1)
})

test('LIVE-2 a visitor requests a game once, also one that was shown before: the platform repeats what changed a moment ago', async () => {
  hub.waits = true
  onTestFinished(() => {
    hub.waits = false
  })
  for (const [id, cached] of [
    [8, false],
    [9, true],
  ] as const) {
    const requests = serve(({ path }) => (path === `/api/game/${id}` ? { ...game, id, ...times } : []))
    const known: Parameters<typeof openPage>[1] = [
      [keys.config, { title: 'GZ', setupRequired: false }],
      [keys.profile, null],
      ...(cached ? [[keys.game(id).detail, { ...game, id, ...times }] as [readonly unknown[], unknown]] : []),
    ]
    const page = (
      <Routes>
        <Route path="/games/:id" element={<GameScreen />} />
      </Routes>
    )
    const place = await openPage(page, known, `/games/${id}`)
    await until(() => expect(place.querySelector('h1')?.textContent).toBe('Regatta'))
    await hub.open()
    await settle(100)
    expect(requests.filter(({ path }) => path === `/api/game/${id}`)).toHaveLength(1)
    place.remove()
  }
})
