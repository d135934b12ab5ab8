import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths } from '../shell/paths.ts'
import { useTitle } from '../shell/site.ts'
import c from './admin-frame.module.css'

/** The tabs of the administration, in their order. */
const tabs = { games: paths.admin.games, settings: paths.admin.settings } as const

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
        <nav className={c.tabs} aria-label={t('admin.title')}>
          {(Object.keys(tabs) as (keyof typeof tabs)[]).map((name) => (
            <Link key={name} to={tabs[name]} className={c.tab} aria-current={name === tab ? 'page' : undefined}>
              {t(`admin.tabs.${name}`)}
            </Link>
          ))}
        </nav>
      </header>
      <div className={c.body}>{children}</div>
    </>
  )
}
