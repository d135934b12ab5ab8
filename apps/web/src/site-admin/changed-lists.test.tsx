// @vitest-environment jsdom
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { act } from 'react'
import { expect, test } from 'vitest'
import { openPage } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { useTeamsChanged, useUsersChanged } from './people.queries.ts'
import {
  instancesQuery,
  useFilesChanged,
  useGamesChanged,
  useMailsChanged,
  useRemoveInstances,
  useServicesChanged,
  useSettingsChanged,
} from './site-admin.queries.ts'

/** One cached answer of each kind that a page of the administration can change, and some that it cannot. */
const cached = {
  config: keys.config,
  captcha: keys.captcha,
  profile: keys.profile,
  posts: keys.posts.list,
  'own teams': keys.teams.mine,
  games: keys.games.list,
  game: keys.game(3).detail,
  board: keys.game(3).feed,
  'edited games': keys.edit.games({ page: 1 }),
  'all edited games': keys.edit.games({ page: 'all' }),
  'edited game': keys.edit.game(3),
  users: keys.admin.users({ page: 2 }),
  'listed teams': keys.admin.teams({ page: 2 }),
  instances: keys.admin.instances,
  engine: keys.admin.engine,
  settings: keys.admin.settings,
  services: keys.admin.services,
  mails: keys.admin.mails({ count: 20 }),
  files: keys.admin.files({ page: 2 }),
}
type Name = keyof typeof cached

let queries: QueryClient
let changed: Readonly<Record<string, () => Promise<void>>>
function Hooks() {
  queries = useQueryClient()
  const remove = useRemoveInstances()
  changed = {
    users: useUsersChanged(),
    teams: useTeamsChanged(),
    games: useGamesChanged(),
    settings: useSettingsChanged(),
    services: useServicesChanged(),
    mails: useMailsChanged(),
    files: useFilesChanged(),
    instances: () => remove(new Set(['b'])),
  }
  return null
}

const reloads: Record<string, Name[]> = {
  users: ['profile', 'users', 'listed teams'],
  teams: ['own teams', 'game', 'board', 'listed teams'],
  games: ['games', 'game', 'board', 'edited games', 'all edited games', 'edited game'],
  settings: ['config', 'settings'],
  services: ['captcha', 'settings', 'services', 'mails'],
  mails: ['mails'],
  files: ['files'],
  instances: ['instances', 'engine'],
}

test('after a change every list that shows the changed thing is read again, and no other', async () => {
  await openPage(<Hooks />)
  expect(Object.keys(changed)).toEqual(Object.keys(reloads))
  for (const [what, expected] of Object.entries(reloads)) {
    for (const key of Object.values(cached)) queries.setQueryData(key, { data: [] })
    await act(async () => changed[what]?.())
    const old = Object.entries(cached).filter(([, key]) => queries.getQueryState(key)?.isInvalidated)
    expect(
      old.map(([name]) => name),
      what,
    ).toEqual(expected)
  }
})

test('IN-1 a destroyed instance leaves the list before it is read again, the others stay', async () => {
  await openPage(<Hooks />)
  queries.setQueryData(instancesQuery.queryKey, {
    data: ['a', 'b', 'c'].map((containerGuid) => ({ containerGuid })),
  } as never)
  await act(async () => changed.instances?.())
  expect(queries.getQueryData(instancesQuery.queryKey)?.data.map(({ containerGuid }) => containerGuid)).toEqual(['a', 'c'])
})
