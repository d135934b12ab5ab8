/** Screens with a fixed name: path, access, title, tab and palette entry. `routes.tsx` adds their code. */
import { IconAdjustmentsHorizontal, IconArticle, IconFlag3, IconHome, IconInfoCircle, IconUsersGroup } from '@tabler/icons-react'
import type { OrganiserTextKey, TextKey } from '../ui/text/texts.tsx'
import type { Need } from './guard.tsx'
import { paths } from './paths.ts'

type Key = TextKey | OrganiserTextKey

export interface NamedScreen {
  readonly path: string
  readonly need: Need
  /** Least width of the window; a narrower one shows a notice. */
  readonly width?: number
  /** Parts of the window title, before the platform's name. */
  readonly title: readonly Key[]
  readonly tab?: { readonly key: 'home' | 'games' | 'posts' | 'teams' | 'about' | 'admin'; readonly Icon: typeof IconHome }
  readonly adminTab?: 'games' | 'teams' | 'users' | 'instances' | 'health' | 'logs' | 'settings'
  readonly palette?: { readonly name: Key; readonly kind: 'screen' | 'settings' }
}

const admin = (adminTab: NonNullable<NamedScreen['adminTab']>) =>
  ({ path: paths.admin[adminTab], need: 'Admin', title: [`admin.tabs.${adminTab}`, 'admin.title'], adminTab }) as const

/** Tabs are in this order. */
export const screens = {
  home: { path: paths.home, need: 'anyone', title: [], tab: { key: 'home', Icon: IconHome } },
  games: { path: paths.games, need: 'anyone', title: ['games.title'], tab: { key: 'games', Icon: IconFlag3 } },
  posts: { path: paths.posts, need: 'anyone', title: ['posts.title'], tab: { key: 'posts', Icon: IconArticle } },
  teams: { path: paths.teams, need: 'User', title: ['shell.tabs.teams'], tab: { key: 'teams', Icon: IconUsersGroup } },
  about: { path: paths.about, need: 'anyone', title: ['shell.tabs.about'], tab: { key: 'about', Icon: IconInfoCircle } },
  adminGames: { ...admin('games'), tab: { key: 'admin', Icon: IconAdjustmentsHorizontal } },
  adminTeams: admin('teams'),
  adminUsers: admin('users'),
  adminInstances: { ...admin('instances'), palette: { name: 'admin.tabs.instances', kind: 'screen' } },
  adminHealth: { ...admin('health'), palette: { name: 'admin.health.title', kind: 'screen' } },
  adminLogs: admin('logs'),
  adminSettings: { ...admin('settings'), palette: { name: 'admin.tabs.settings', kind: 'settings' } },
  profile: {
    path: paths.profile,
    need: 'User',
    title: ['shell.profile'],
    palette: { name: 'shell.profile', kind: 'screen' },
  },
  setup: { path: paths.setup, need: 'setup', title: ['setup.title'] },
  login: {
    path: paths.login(),
    need: 'guest',
    title: ['account.signIn'],
    palette: { name: 'shell.signIn', kind: 'screen' },
  },
  register: { path: paths.register(), need: 'guest', title: ['account.register'] },
  recovery: { path: paths.recovery, need: 'anyone', title: ['account.recovery'] },
  reset: { path: '/account/Reset', need: 'anyone', title: ['account.reset'] },
} as const satisfies Readonly<Record<string, NamedScreen>>

export const namedScreens: readonly NamedScreen[] = Object.values(screens)
