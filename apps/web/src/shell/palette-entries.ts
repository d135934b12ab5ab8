import { useMantineColorScheme } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { searchUsers } from '@vexil/contract/users'
import { phaseOf } from '@vexil/core/phases'
import { languages } from '@vexil/core/vocabulary'
import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { call } from '../api/client.ts'
import { serverNow } from '../api/clock.ts'
import { keys } from '../api/query-keys.ts'
import { allGamesQuery, detailsQuery, myGamesQuery, myTeamsQuery } from '../api/shared.queries.ts'
import { loadWithoutReload } from '../ui/base/chunk-recovery.ts'
import { type Key, useShownKeys } from '../ui/base/keyboard.ts'
import { loadAllLanguages } from '../ui/text/text-files.ts'
import { inAllLanguages, loadTexts, type OrganiserTextKey, type TextKey, useTranslation } from '../ui/text/texts.tsx'
import { chooseLanguage, languageNames } from './i18n.ts'
import { paths } from './paths.ts'
import { chooseDensity, clearCache, readDensity } from './preferences.ts'
import { namedScreens } from './screen-table.ts'
import { reaches, useLogout, useSession } from './session.ts'
import { tabsFor } from './tabs.ts'

type Kind = 'screen' | 'game' | 'challenge' | 'team' | 'user' | 'settings' | 'action'

export interface Entry {
  readonly id: string
  readonly kind: Kind
  readonly name: string
  /** The game of a challenge. */
  readonly of?: string
  /** In all three languages. */
  readonly names: readonly string[]
  readonly to?: string
  readonly act?: () => void
  /** As printed on the keys. */
  readonly key?: string
}

const inAll = (key: string): string[] => inAllLanguages(key as TextKey | OrganiserTextKey)

/** An untranslated name is the same in all languages. */
const named = (id: string, kind: Kind, name: string, rest: Pick<Entry, 'to' | 'act' | 'key' | 'of'>): Entry => {
  return { id, kind, name, names: [name], ...rest }
}

/** Loads the texts of the other languages, so that entries are found in each. */
export function useAllLanguages(): void {
  const organiser = reaches(useSession().role, 'Admin')
  const [, setLoaded] = useState(false)
  useEffect(() => {
    // The names of screens are in several areas.
    const areas = ['players' as const, ...(organiser ? ['organisers' as const] : [])]
    const texts = () => Promise.all(areas.map(loadTexts)).then(loadAllLanguages)
    // Without them the names of the shown language are found.
    loadWithoutReload(texts).then(
      () => setLoaded(true),
      () => {},
    )
  }, [organiser])
}

export function useEntries(typed: string): readonly Entry[] {
  const { role } = useSession()
  return [...useScreens(), ...useData(typed), ...useActions(useShownKeys(), role !== undefined)]
}

function useScreens(): Entry[] {
  const { t } = useTranslation()
  const { role } = useSession()
  const entry = (key: string, kind: Kind, to: string): Entry => ({
    id: to,
    kind,
    name: t(key as 'ui.save'),
    names: inAll(key),
    to,
  })
  const tabs = tabsFor(role).map(({ key, to }) => entry(`shell.tabs.${key}`, 'screen', to))
  const others = namedScreens.flatMap(({ path, need, palette }) => {
    const seen = need === 'guest' ? role === undefined : need === 'User' ? role !== undefined : reaches(role, 'Admin')
    return palette && seen ? [entry(palette.name, palette.kind, path)] : []
  })
  return [...tabs, ...others]
}

/** Games whose challenges are searched, besides the one on screen. */
const mostGames = 5

function useData(typed: string): Entry[] {
  const { t } = useTranslation()
  const { role } = useSession()
  const { pathname } = useLocation()
  const id = Number(/^\/games\/([1-9]\d{0,9})(?:\/|$)/i.exec(pathname)?.[1] ?? 0)
  const games = useQuery(allGamesQuery).data ?? []
  const teams = useQuery({ ...myTeamsQuery, enabled: role !== undefined }).data ?? []
  const hint = typed.trim()
  const users = useQuery({
    queryKey: keys.admin.users({ hint }),
    queryFn: ({ signal }) => call(searchUsers, { query: { hint }, signal }),
    enabled: reaches(role, 'Admin') && hint.length > 1,
  })
  const played = useQuery({ ...myGamesQuery, enabled: role !== undefined }).data ?? []
  const accepted = new Set(played.filter(({ status }) => status === 'Accepted').map(({ gameId }) => gameId))
  const isRunning = ({ start, end }: (typeof games)[number]) =>
    phaseOf({ startsAt: Date.parse(start), endsAt: Date.parse(end) }, serverNow()) === 'running'
  const running = games.filter((one) => one.id !== id && accepted.has(one.id) && isRunning(one))
  const open = [...(id > 0 && role !== undefined ? [id] : []), ...running.slice(0, mostGames).map((one) => one.id)]
  const details = useQueries({
    queries: open.map((game) => ({ ...detailsQuery(game), staleTime: 60_000, retry: false })),
  })
  const titleOf = (game: number) => games.find((one) => one.id === game)?.title ?? ''
  const cards = details.flatMap(({ data }, at) =>
    Object.values(data?.challenges ?? {}).flatMap((list) =>
      (list ?? []).map((card) => {
        const game = open[at] ?? 0
        return named(`challenge ${card.id}`, 'challenge', card.title, { to: paths.challenges(game, card.id), of: titleOf(game) })
      }),
    ),
  )
  const game = games.find((one) => one.id === id)
  const part = (key: 'frame.challenges' | 'frame.scoreboard' | 'frame.monitor', to: string): Entry => {
    return { id: to, kind: 'screen', name: `${t(key)} · ${game?.title ?? ''}`, names: inAll(key), to }
  }
  return [
    ...(game && details[0]?.data ? [part('frame.challenges', paths.challenges(id))] : []),
    ...(game ? [part('frame.scoreboard', paths.scoreboard(id))] : []),
    ...(game && reaches(role, 'Monitor') ? [part('frame.monitor', paths.monitor(id))] : []),
    ...cards,
    ...games.map((one) => named(`game ${one.id}`, 'game', one.title, { to: paths.game(one.id) })),
    ...teams.map((team) => named(`team ${team.id}`, 'team', team.name ?? '', { to: paths.teams })),
    ...(users.data?.data ?? []).map((user) =>
      named(`user ${user.id}`, 'user', user.userName ?? '', { to: paths.admin.usersNamed(user.userName ?? '') }),
    ),
  ]
}

function useActions(shown: readonly Key[], member: boolean): Entry[] {
  const { t } = useTranslation()
  const logout = useLogout()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const ours = (key: string, act: () => void): Entry => ({
    id: key,
    kind: 'action',
    name: t(key as 'ui.save'),
    names: inAll(key),
    act,
  })
  const other = readDensity() === 'compact' ? 'comfortable' : 'compact'
  const scheme = colorScheme === 'dark' ? 'light' : 'dark'
  return [
    ...shown.map((one) => named(`key ${one.key} ${one.name}`, 'action', one.name, { act: one.act, key: one.key })),
    ours(`shell.${scheme}`, () => setColorScheme(scheme)),
    ours(`shell.${other}`, () => chooseDensity(other)),
    ours('shell.clearCache', clearCache),
    ...languages.map((language) =>
      named(`language ${language}`, 'action', languageNames[language], { act: () => void chooseLanguage(language) }),
    ),
    ...(member ? [ours('shell.logout', () => void logout())] : []),
  ]
}
