import { expect, test } from 'vitest'
import { tabOf, tabsFor } from './tabs.ts'

test('P2.38 there are six tabs, with Admin only for administrators', () => {
  expect(tabsFor('Admin').map((tab) => tab.key)).toEqual(['home', 'games', 'posts', 'teams', 'about', 'admin'])
  for (const role of ['User', 'Monitor', undefined] as const) expect(tabsFor(role).map((tab) => tab.key)).not.toContain('admin')
})

test('P2.38 the active tab follows the prefix of the path in any letter case', () => {
  expect(tabOf('/')).toBe('home')
  expect(tabOf('/GAMES/3/Scoreboard')).toBe('games')
  expect(tabOf('/admin/Logs')).toBe('admin')
  expect(tabOf('/teams')).toBe('teams')
  expect(tabOf('/account/Profile')).toBeUndefined()
})
