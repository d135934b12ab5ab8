// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { openPage } from '../../test/page.tsx'
import { ScreenSkeleton } from './screen-skeleton.tsx'

test.each([
  ['/', 'home'],
  ['/games', 'list'],
  ['/games/7', 'hero'],
  ['/Games/7/challenges', 'cards'],
  ['/games/7/Scoreboard/', 'board'],
  ['/games/7/screen', 'board'],
  ['/games/7/monitor/Events', 'list'],
  ['/account/Login', 'form'],
  ['/account/Profile', 'list'],
  ['/setup', 'form'],
  ['/About', 'text'],
  ['/posts/abcdefgh', 'text'],
  ['/posts', 'list'],
  ['/admin/games/7/challenges', 'list'],
])('LOAD-1 at %s the outline of its screen (%s) is drawn without a delay', async (address, shape) => {
  const place = await openPage(<ScreenSkeleton />, [], address)
  expect(place.querySelector('[role=status]')?.getAttribute('data-loading')).toBe(shape)
  expect(place.querySelectorAll('.mantine-Skeleton-root').length).toBeGreaterThan(3)
})
