// @vitest-environment jsdom
import { useNavigationType } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { button, click } from '../../test/acts.ts'
import { ago, game, here, openInGame, refused } from '../../test/in-game.tsx'
import { toasts, until } from '../../test/page.tsx'
import { t } from '../ui/text/texts.tsx'
import { GameFrame } from './game-frame.tsx'
import { TopBar } from './top-bar.tsx'
import { TopBarPlaceProvider } from './top-bar-place.tsx'

vi.mock('../api/hub-connection.ts', async () => await import('../../test/hub.ts'))
afterEach(() => {
  vi.unstubAllGlobals()
  unread = undefined
})

let unread: number | undefined
/** The kind of the last navigation. */
let how: string
function How() {
  how = useNavigationType()
  return null
}
const screenOf = (tab: 'challenges' | 'scoreboard' | 'monitor') => () => (
  <TopBarPlaceProvider>
    <div id="bar">
      <TopBar />
    </div>
    <GameFrame tab={tab} unread={unread}>
      {({ phase, plays }) => <p id="inside">{`${phase} ${plays}`}</p>}
    </GameFrame>
  </TopBarPlaceProvider>
)
const path = { challenges: 'Challenges', scoreboard: 'Scoreboard', monitor: 'monitor/Events' }
type Scene = Parameters<typeof openInGame>[2]
const open = (tab: keyof typeof path, scene: Scene = {}) => openInGame(screenOf(tab), path[tab], scene)
const linksOf = (place: Element | null) =>
  [...(place?.querySelectorAll('a') ?? [])].map((one) => [one.textContent, one.getAttribute('aria-current')])

test('FRAME-3 a game that cannot be loaded shows an error in place of its outline, and is requested again on request', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = () => promise.then(refused('server.unknown', 'Out of order', 500))
  const { place, answers } = await open('scoreboard', { known: false, answers: { 'GET /api/game/3': held } })
  expect(place.querySelector('[data-loading=board]')).not.toBeNull()
  expect(place.querySelector('[role=alert]')).toBeNull()
  resolve()
  await until(() => expect(place.querySelector('[role=alert]')?.textContent).toContain('Out of order'))
  expect(place.querySelector('[data-loading]')).toBeNull()
  answers['GET /api/game/3'] = game()
  await click(button('Retry'))
  await until(() => expect(place.querySelector('#inside')?.textContent).toBe('running true'))
})

test.each([
  ['challenges', 'User', {}, ['Challenges', 'Scoreboard'], true],
  ['scoreboard', 'User', { status: 'Unsubmitted' }, ['Scoreboard'], false],
  ['scoreboard', 'Monitor', { status: 'Unsubmitted' }, ['Scoreboard', 'Monitoring'], true],
  ['monitor', 'Monitor', { status: 'Unsubmitted' }, ['Scoreboard', 'Monitoring'], false],
] as const)(
  'FRAME-3 the frame of %s for %s (%j) has the tabs %j; the bar of phones is shown: %s',
  async (tab, role, part, tabs, bar) => {
    const { place } = await open(tab, { game: game(part), role })
    const links = linksOf(place.querySelector('header nav[aria-label="Harbour Cup"]'))
    expect(links.map(([name]) => name)).toEqual([...tabs])
    const name = { challenges: 'Challenges', scoreboard: 'Scoreboard', monitor: 'Monitoring' }[tab]
    expect(links.filter(([, current]) => current).map(([shown]) => shown)).toEqual([name])
    expect(place.querySelector('[data-bottom-bar]') !== null).toBe(bar)
    expect(place.querySelector('#inside')?.textContent).toBe(`running ${tab === 'challenges'}`)
  },
)

test('FRAME-2 while a game runs its end and the time left are shown, on phones the time left; after its end only that it has ended', async () => {
  const { place } = await open('scoreboard')
  const heads = () => [...place.querySelectorAll('#bar header, #bar + header')]
  const timers = () => heads().map((head) => head.querySelectorAll('[role=timer]').length)
  expect(timers()).toEqual([1, 1])
  expect(heads().map((head) => /ends \w{3} \d\d:\d\d/.test(head.textContent ?? ''))).toEqual([false, true])
  expect(heads().map((head) => head.querySelector('h1 a')?.getAttribute('href'))).toEqual(['/games/3', '/games/3'])
  place.remove()
  const ended = await open('scoreboard', { game: game({ end: ago(1) }) })
  const over = [...ended.place.querySelectorAll('#bar header, #bar + header')]
  expect(over.map((head) => head.querySelectorAll('[role=timer]').length)).toEqual([0, 0])
  expect(over.map(({ textContent }) => textContent?.endsWith('ended'))).toEqual([false, true])
  expect(over[0]?.textContent).toContain('Harbour Cupended')
  expect(ended.place.querySelector('#inside')?.textContent).toBe('ended false')
})

test.each([
  ['challenges', { status: 'Suspended' }, 'banned'],
  ['challenges', { status: 'Suspended', end: ago(1) }, 'ended'],
  ['challenges', { status: 'Suspended', end: ago(1), practiceMode: true }, 'banned'],
  ['challenges', { status: 'Pending' }, 'notApproved'],
  ['challenges', { status: 'Unsubmitted' }, 'notJoined'],
  ['monitor', { start: ago(-1) }, 'notStarted'],
] as const)('the frame of %s leads from a game with %j to its page: %s', async (tab, part, reason) => {
  await open(tab, { game: game(part), beside: <How /> })
  await until(() => expect(here()).toBe('/games/3'))
  // The back button does not lead to it again.
  expect(how).toBe('REPLACE')
  expect(toasts().map(({ title }) => title)).toEqual([t(`frame.${reason}`)])
})

test('the bar of phones counts unread notices up to 99, and marks the part that is shown', async () => {
  const scenes = [
    ['challenges', '', 0, 'Challenges'],
    ['challenges', '?sheet=notices', 99, 'Notices99'],
    ['scoreboard', '?sheet=notices', 100, 'Scoreboard'],
  ] as const
  for (const [tab, address, count, current] of scenes) {
    unread = count
    const { place } = await open(tab, { address })
    const links = linksOf(place.querySelector('[data-bottom-bar]'))
    expect(links.map(([name]) => name)).toEqual([
      'Challenges',
      'Scoreboard',
      `Notices${count > 99 ? '99+' : count || ''}`,
      'Team',
    ])
    expect(links.flatMap(([name, isCurrent]) => (isCurrent ? [name] : []))).toEqual([current])
    place.remove()
  }
})
