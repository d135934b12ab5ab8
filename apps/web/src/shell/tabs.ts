/** The main tabs (P2.38) in their order. */
import { IconAdjustmentsHorizontal, IconArticle, IconFlag3, IconHome, IconInfoCircle, IconUsersGroup } from '@tabler/icons-react'
import type { Role } from '@vexil/core/vocabulary'
import { paths } from './paths.ts'
import { reaches } from './session.ts'

interface Tab {
  readonly key: 'home' | 'games' | 'posts' | 'teams' | 'about' | 'admin'
  readonly to: string
  readonly Icon: typeof IconHome
  readonly admin?: boolean
}

const tabs: readonly Tab[] = [
  { key: 'home', to: paths.home, Icon: IconHome },
  { key: 'games', to: paths.games, Icon: IconFlag3 },
  { key: 'posts', to: paths.posts, Icon: IconArticle },
  { key: 'teams', to: paths.teams, Icon: IconUsersGroup },
  { key: 'about', to: paths.about, Icon: IconInfoCircle },
  { key: 'admin', to: paths.admin.games, Icon: IconAdjustmentsHorizontal, admin: true },
]

export function tabsFor(role: Role | undefined): readonly Tab[] {
  return tabs.filter((tab) => !tab.admin || reaches(role, 'Admin'))
}

/** The tab that an address belongs to; every path below `/admin` is Admin's. */
export function tabOf(path: string): Tab['key'] | undefined {
  const first = path.split('/')[1]?.toLowerCase() ?? ''
  if (first === '') return 'home'
  return tabs.find((tab) => tab.to.split('/')[1]?.toLowerCase() === first)?.key
}
