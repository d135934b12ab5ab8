// @vitest-environment jsdom
/** Which data of other screens counts as outdated after each change. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { act } from 'react'
import { expect, test } from 'vitest'
import { openPage } from '../test/page.tsx'
import { keys } from './api/query-keys.ts'

type Changed = (argument: ReadonlySet<string>) => Promise<void>
type Hook = (id: number) => Changed

const hooks: Record<string, Hook> = {}
for (const file of globSync('**/*.queries.ts', { cwd: import.meta.dirname })) {
  const found = (await import(join(import.meta.dirname, file))) as Record<string, unknown>
  for (const [name, hook] of Object.entries(found))
    if (/^use(\w+Changed|RemoveInstances)$/.test(name)) hooks[`${file} ${name}`] = hook as Hook
}

/** One entry for each kind of data; the game is number 7, and 8 is another one. */
const data = {
  config: keys.config,
  captcha: keys.captcha,
  profile: keys.profile,
  'own games': keys.myGames,
  'own teams': keys.teams.mine,
  'invite code': keys.teams.invite(1),
  posts: keys.posts.list,
  'list of games': keys.games.list,
  'the game': keys.game(7).detail,
  'board of the game': keys.game(7).feed,
  'captures of the game': keys.game(7).traffic(1),
  'another game': keys.game(8).detail,
  'edited games': keys.edit.games({ page: 1 }),
  'all edited games': keys.edit.games({ page: 'all' }),
  'the edited game': keys.edit.game(7),
  'challenges of the edited game': keys.edit.challenges(7),
  'another edited game': keys.edit.game(8),
  users: keys.admin.users({ page: 1 }),
  teams: keys.admin.teams({ page: 1 }),
  instances: keys.admin.instances,
  engine: keys.admin.engine,
  settings: keys.admin.settings,
  services: keys.admin.services,
  mails: keys.admin.mails({ count: 10 }),
  files: keys.admin.files({ page: 1 }),
} as const

const games = ['the game', 'board of the game', 'captures of the game', 'another game'] as const
const outdated: Readonly<Record<string, readonly (keyof typeof data)[]>> = {
  'games/games.queries.ts useParticipationChanged': [
    'own games',
    'own teams',
    'invite code',
    'the game',
    'board of the game',
    'captures of the game',
  ],
  'game-admin/game-admin.queries.ts useGameChanged': [
    'list of games',
    'the game',
    'board of the game',
    'captures of the game',
    'edited games',
    'all edited games',
    'the edited game',
  ],
  'game-admin/game-admin.queries.ts useChallengesChanged': [
    'the game',
    'board of the game',
    'captures of the game',
    'challenges of the edited game',
  ],
  'monitor/traffic.queries.ts useTrafficChanged': ['captures of the game'],
  'site-admin/people.queries.ts useUsersChanged': ['profile', 'users', 'teams'],
  'site-admin/people.queries.ts useTeamsChanged': ['own teams', 'invite code', ...games, 'teams'],
  'site-admin/site-admin.queries.ts useGamesChanged': [
    'list of games',
    ...games,
    'edited games',
    'all edited games',
    'the edited game',
    'challenges of the edited game',
    'another edited game',
  ],
  'site-admin/site-admin.queries.ts useSettingsChanged': ['config', 'settings'],
  'site-admin/site-admin.queries.ts useServicesChanged': ['captcha', 'settings', 'services', 'mails'],
  'site-admin/site-admin.queries.ts useMailsChanged': ['mails'],
  'site-admin/site-admin.queries.ts useRemoveInstances': ['instances', 'engine'],
  'site-admin/site-admin.queries.ts useFilesChanged': ['files'],
  'teams/teams.queries.ts useTeamsChanged': ['own games', 'own teams', ...games],
}

test('every change has an entry', () => {
  expect(Object.keys(hooks).sort()).toEqual(Object.keys(outdated).sort())
})

test.each(Object.keys(outdated))('%s', async (name) => {
  let queries!: QueryClient
  let changed!: Changed
  const useChanged = hooks[name] as Hook
  function Part() {
    queries = useQueryClient()
    changed = useChanged(7)
    return null
  }
  await openPage(<Part />)
  for (const key of Object.values(data)) queries.setQueryData(key, key === keys.admin.instances ? { data: [] } : [])
  await act(() => changed(new Set()))
  const found = Object.entries(data).filter(([, key]) => queries.getQueryState(key)?.isInvalidated)
  expect(found.map(([kind]) => kind).sort()).toEqual([...(outdated[name] ?? [])].sort())
})

test('IN-1 a destroyed instance leaves the list before it is read again, the others stay', async () => {
  let queries!: QueryClient
  let remove!: Changed
  function Part() {
    queries = useQueryClient()
    remove = (hooks['site-admin/site-admin.queries.ts useRemoveInstances'] as Hook)(7)
    return null
  }
  await openPage(<Part />)
  queries.setQueryData(keys.admin.instances, { data: ['a', 'b', 'c'].map((containerGuid) => ({ containerGuid })) })
  await act(() => remove(new Set(['b'])))
  const left = queries.getQueryData<{ data: { containerGuid: string }[] }>(keys.admin.instances)?.data
  expect(left?.map(({ containerGuid }) => containerGuid)).toEqual(['a', 'c'])
})
