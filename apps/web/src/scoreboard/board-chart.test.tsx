// @vitest-environment jsdom
import { expect, test, vi } from 'vitest'
import { button, click } from '../../test/acts.ts'
import { feed, game, minute } from '../../test/in-game.tsx'
import { openPage } from '../../test/page.tsx'
import { openFeed } from '../api/board.ts'
import { BoardChart } from './board-chart.tsx'

/** What the drawing was asked for last. */
const asked = vi.hoisted(() => ({ ends: 0, until: 0, start: '' }))
vi.mock('./use-chart.ts', () => ({
  useChart: (_: unknown, facts: typeof asked) => {
    Object.assign(asked, facts)
    return { width: 800, showAll() {}, savePicture() {} }
  },
}))

test('SB-22 before half time the chart ends now and shows its start as text; one click shows the whole game, and another goes back', async () => {
  const of = (before: number, after: number) => ({ startsAt: Date.now() - before * minute, endsAt: Date.now() + after * minute })
  const draw = (times: { startsAt: number; endsAt: number }) =>
    openPage(
      <BoardChart
        game={game()}
        phase="running"
        state={openFeed(feed(undefined, times))}
        division={null}
        own={null}
        added={null}
        moment={null}
        height={138}
      />,
    )
  const early = of(60, 180)
  const place = await draw(early)
  expect(asked.ends).toBe(asked.until)
  expect(Math.abs(asked.ends - Date.now())).toBeLessThan(minute)
  expect(asked.start).toMatch(/^Start .*\d\d:\d\d$/)
  await click(button('Whole game'))
  expect(asked.ends).toBe(early.endsAt)
  await click(button('Since the start'))
  expect(asked.ends).toBe(asked.until)
  place.remove()
  const late = of(180, 60)
  await draw(late)
  expect(asked.ends).toBe(late.endsAt)
  expect(button('Whole game')).toBeUndefined()
})
