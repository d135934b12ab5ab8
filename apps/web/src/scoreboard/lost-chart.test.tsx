// @vitest-environment jsdom
import { beforeEach, expect, test, vi } from 'vitest'
import { feed, openInGame } from '../../test/in-game.tsx'
import { device, until } from '../../test/page.tsx'
import ScoreboardScreen from './scoreboard.screen.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))
vi.mock('uplot', () => {
  throw new RangeError('Incorrect locale information provided')
})

beforeEach(() => {
  // Mocked layout: a window of ten rows.
  for (const name of ['offsetHeight', 'offsetWidth'] as const) vi.spyOn(HTMLElement.prototype, name, 'get').mockReturnValue(330)
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(330)
  vi.spyOn(console, 'error').mockImplementation(() => {})
  device.width = 1440
  return () => {
    device.width = undefined
    vi.restoreAllMocks()
  }
})

test('a chart that fails is replaced by one sentence, and the table stays', async () => {
  const { place } = await openInGame(ScoreboardScreen, 'Scoreboard', {
    answers: { 'GET /api/game/3/scoreboard/feed': feed() },
  })
  await until(() => expect(place.textContent).toContain('This browser cannot draw the chart.'))
  expect([...place.querySelectorAll('tbody tr[data-team] th button')].map(({ textContent }) => textContent)).toEqual([
    'Red',
    'Danes',
    'Blue',
  ])
  expect(place.querySelector('[role=alert]')).toBeNull()
})
