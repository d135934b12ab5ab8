import type { ReactNode } from 'react'
import { type NamedScreen, namedScreens } from '../shell/screen-table.ts'
import { TopLinks } from '../ui/base/links.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import c from './site-admin-frame.module.css'

interface Props {
  readonly tab: NonNullable<NamedScreen['adminTab']>
  readonly children: ReactNode
}

export function AdminFrame({ tab, children }: Props) {
  const { t } = useTranslation()
  return (
    <>
      <header className={c.head}>
        <h1>{t('admin.title')}</h1>
        <TopLinks
          label={t('admin.title')}
          entries={namedScreens.flatMap(({ path, adminTab }) =>
            adminTab ? [{ to: path, name: t(`admin.tabs.${adminTab}`), current: adminTab === tab }] : [],
          )}
        />
      </header>
      <div className={c.body}>{children}</div>
    </>
  )
}
