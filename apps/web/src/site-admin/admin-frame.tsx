import type { ReactNode } from 'react'
import { paths } from '../shell/paths.ts'
import { useTitle } from '../shell/site.ts'
import { TopLinks } from '../ui/links.tsx'
import { useTranslation } from '../ui/organiser-texts.ts'
import c from './admin-frame.module.css'

/** The tabs of the administration, in their order. */
const tabs = {
  games: paths.admin.games,
  teams: paths.admin.teams,
  users: paths.admin.users,
  instances: paths.admin.instances,
  logs: paths.admin.logs,
  settings: paths.admin.settings,
} as const

interface Props {
  readonly tab: keyof typeof tabs
  readonly children: ReactNode
}

export function AdminFrame({ tab, children }: Props) {
  const { t } = useTranslation()
  useTitle(`${t(`admin.tabs.${tab}`)} - ${t('admin.title')}`)
  return (
    <>
      <header className={c.head}>
        <h1>{t('admin.title')}</h1>
        <TopLinks
          label={t('admin.title')}
          entries={(Object.keys(tabs) as (keyof typeof tabs)[]).map((name) => ({
            to: tabs[name],
            name: t(`admin.tabs.${name}`),
            current: name === tab,
          }))}
        />
      </header>
      <div className={c.body}>{children}</div>
    </>
  )
}
