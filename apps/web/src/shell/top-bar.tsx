import { ActionIcon } from '@mantine/core'
import { IconMenu2 } from '@tabler/icons-react'
import { Link } from 'react-router'
import { singleFlight } from '../ui/base/single-flight.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { ClockBadge } from './clock-badge.tsx'
import { FrameMenu } from './frame-menu.tsx'
import { LanguageMenu } from './language-menu.tsx'
import { Logo } from './mark.tsx'
import { paths } from './paths.ts'
import { useSite } from './site.ts'
import c from './top-bar.module.css'
import { useTopBarPlace } from './top-bar-place.tsx'

const list = singleFlight(() => import('./phone-list.tsx'))

export function TopBar() {
  const { t } = useTranslation()
  const site = useSite()
  const setPlace = useTopBarPlace()
  return (
    <header className={c.bar}>
      <Link className={c.home} to={paths.home} aria-label={site.platform}>
        <Logo src={site.logoUrl} size={26} />
      </Link>
      <div className={c.middle}>
        <div ref={setPlace} className={c.place} />
        <span className={`${c.name} cut`}>{site.name}</span>
      </div>
      <ClockBadge />
      <LanguageMenu />
      <FrameMenu load={list}>
        <ActionIcon aria-label={t('shell.menu')}>
          <IconMenu2 size={22} stroke={1.6} />
        </ActionIcon>
      </FrameMenu>
    </header>
  )
}
