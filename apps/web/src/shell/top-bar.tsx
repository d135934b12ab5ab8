import { ActionIcon, Menu } from '@mantine/core'
import { IconMenu2, IconSearch, IconUser } from '@tabler/icons-react'
import { Link, useLocation } from 'react-router'
import { useTranslation } from '../ui/texts.tsx'
import { useDeviceEntries } from './account-menu.tsx'
import { ClockBadge } from './clock-badge.tsx'
import { LanguageMenu } from './language-menu.tsx'
import { Logo } from './mark.tsx'
import { openPalette } from './palette.tsx'
import { paths } from './paths.ts'
import { useScheme } from './scheme-switch.tsx'
import { useSession } from './session.ts'
import { useSite } from './site.ts'
import { tabOf, tabsFor } from './tabs.ts'
import c from './top-bar.module.css'
import { useTopBarPlace } from './top-bar-place.tsx'

const icon = { size: 18, stroke: 1.6 }

/** A menu that closes gives the focus back this soon; a dialog that opens before that would lose it. */
const focusGivenBackMs = 50

/** The head of phones: mark, name (or a game and its clock), language, and one menu with everything (NAV-1). */
export function TopBar() {
  const { t } = useTranslation()
  const site = useSite()
  const { user, role } = useSession()
  const active = tabOf(useLocation().pathname)
  const scheme = useScheme()
  const { entries, dialog } = useDeviceEntries()
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
      <Menu position="bottom-end" width={248}>
        <Menu.Target>
          <ActionIcon aria-label={t('shell.menu')}>
            <IconMenu2 size={22} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {tabsFor(role).map(({ key, to, Icon }) => (
            <Menu.Item
              key={key}
              component={Link}
              to={to}
              aria-current={active === key ? 'page' : undefined}
              leftSection={<Icon {...icon} />}
            >
              {t(`shell.tabs.${key}`)}
            </Menu.Item>
          ))}
          <Menu.Item leftSection={<IconSearch {...icon} />} onClick={() => setTimeout(openPalette, focusGivenBackMs)}>
            {t('keys.palette')}
          </Menu.Item>
          <Menu.Divider />
          {user && (
            <Menu.Item component={Link} to={paths.profile} leftSection={<IconUser {...icon} />}>
              {t('shell.profile')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<scheme.Icon {...icon} />} onClick={scheme.flip}>
            {scheme.name}
          </Menu.Item>
          {entries}
        </Menu.Dropdown>
      </Menu>
      {dialog}
    </header>
  )
}
