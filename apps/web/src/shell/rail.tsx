import { ActionIcon } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { Link, useLocation } from 'react-router'
import { moveFocus } from '../ui/base/move-focus.ts'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { AccountMenu } from './account-menu.tsx'
import { ClockBadge } from './clock-badge.tsx'
import { LanguageMenu } from './language-menu.tsx'
import { Logo } from './mark.tsx'
import { openPalette } from './palette.tsx'
import { paths } from './paths.ts'
import c from './rail.module.css'
import { SchemeSwitch } from './scheme-switch.tsx'
import { useSession } from './session.ts'
import { useSite } from './site.ts'
import { tabOf, tabsFor } from './tabs.ts'
import { written } from './written-key.ts'

export function Rail() {
  const { t } = useTranslation()
  const site = useSite()
  const { role } = useSession()
  const active = tabOf(useLocation().pathname)
  const labelled = useMediaQuery('(min-width: 1280px) and (min-height: 640px)', false, { getInitialValueInEffect: false })
  return (
    <header className={c.rail}>
      <Link className={c.home} to={paths.home} aria-label={site.platform}>
        <Logo src={site.logoUrl} />
      </Link>
      <nav className={c.tabs} aria-label={t('shell.main')}>
        {tabsFor(role).map(({ key, to, Icon }) => (
          <Tooltip key={key} label={t(`shell.tabs.${key}`)} position="right" disabled={labelled}>
            <Link
              className={c.entry}
              to={to}
              aria-label={t(`shell.tabs.${key}`)}
              aria-current={active === key ? 'page' : undefined}
            >
              <Icon size={22} stroke={1.6} />
              {labelled && <span className={c.label}>{t(`shell.tabs.${key}`)}</span>}
            </Link>
          </Tooltip>
        ))}
      </nav>
      <ClockBadge rail />
      {/* One stop of Tab: from every page it is on the way to the content. */}
      <div className={c.foot} role="toolbar" aria-orientation="vertical" aria-label={t('shell.tools')} onKeyDown={moveFocus}>
        <Tooltip label={`${t('keys.palette')} (${written('mod+k')})`} position="right">
          <ActionIcon className={c.entry} aria-label={t('keys.palette')} onClick={openPalette}>
            <IconSearch size={22} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
        <LanguageMenu rail />
        <SchemeSwitch rail />
        <AccountMenu />
      </div>
    </header>
  )
}
