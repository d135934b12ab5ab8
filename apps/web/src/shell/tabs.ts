import type { Role } from '@vexil/core/vocabulary'
import { type NamedScreen, namedScreens } from './screen-table.ts'
import { reaches } from './session.ts'

type Tab = NonNullable<NamedScreen['tab']> & { readonly to: string; readonly admin: boolean }

const tabs: readonly Tab[] = namedScreens.flatMap(({ path, need, tab }) =>
  tab ? [{ ...tab, to: path, admin: need === 'Admin' }] : [],
)

export function tabsFor(role: Role | undefined): readonly Tab[] {
  return tabs.filter((tab) => !tab.admin || reaches(role, 'Admin'))
}

/** The tab of an address; every path below `/admin` belongs to Admin. */
export function tabOf(path: string): Tab['key'] | undefined {
  const first = path.split('/')[1]?.toLowerCase() ?? ''
  if (first === '') return 'home'
  return tabs.find((tab) => tab.to.split('/')[1]?.toLowerCase() === first)?.key
}
