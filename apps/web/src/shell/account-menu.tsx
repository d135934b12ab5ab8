import { Menu, Tooltip, UnstyledButton } from '@mantine/core'
import {
  IconBaselineDensityMedium,
  IconBaselineDensitySmall,
  IconEraser,
  IconLogin2,
  IconLogout,
  IconPalette,
  IconUser,
  IconUserCircle,
} from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { Avatar } from '../ui/avatar.tsx'
import { ColourDialog } from './colour-dialog.tsx'
import { paths } from './paths.ts'
import { chooseDensity, clearCache, useDensity } from './preferences.ts'
import c from './rail.module.css'
import { useLogout, useSession } from './session.ts'

const icon = { size: 18, stroke: 1.6 }

/** Where a visitor comes back to after signing in; account pages themselves are no such place. */
export function useHere(): string | undefined {
  const { pathname, search } = useLocation()
  return pathname === '/' || pathname.toLowerCase().startsWith('/account/') ? undefined : `${pathname}${search}`
}

/** Clear cache, colour and density: what everybody finds in the account menu and in the phone menu. */
export function useDeviceEntries(): {
  entries: readonly { key: string; Icon: typeof IconUser; name: string; act: () => void }[]
  dialog: React.ReactNode
} {
  const { t } = useTranslation()
  const density = useDensity()
  const [colours, setColours] = useState(false)
  const other = density === 'compact' ? 'comfortable' : 'compact'
  return {
    entries: [
      { key: 'colour', Icon: IconPalette, name: t('shell.colour'), act: () => setColours(true) },
      {
        key: 'density',
        Icon: other === 'compact' ? IconBaselineDensitySmall : IconBaselineDensityMedium,
        name: t(`shell.${other}`),
        act: () => chooseDensity(other),
      },
      { key: 'cache', Icon: IconEraser, name: t('shell.clearCache'), act: clearCache },
    ],
    dialog: <ColourDialog opened={colours} onClose={() => setColours(false)} />,
  }
}

export function AccountMenu() {
  const { t } = useTranslation()
  const session = useSession()
  const logout = useLogout()
  const here = useHere()
  const { entries, dialog } = useDeviceEntries()
  const user = session.user
  const [opened, setOpened] = useState(false)
  return (
    <>
      <Menu position="right-end" width={240} opened={opened} onChange={setOpened}>
        <Menu.Target>
          <Tooltip label={t('shell.account')} disabled={opened} position="right">
            <UnstyledButton
              className={c.entry}
              aria-label={user?.userName ? `${t('shell.account')}: ${user.userName}` : t('shell.account')}
            >
              {user ? (
                <Avatar src={user.avatar} name={user.userName ?? ''} id={user.userId ?? 0} size={24} />
              ) : (
                <IconUserCircle size={22} stroke={1.6} />
              )}
            </UnstyledButton>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          {user && (
            <>
              <Menu.Label>{user.userName}</Menu.Label>
              <Menu.Item component={Link} to={paths.profile} leftSection={<IconUser {...icon} />}>
                {t('shell.profile')}
              </Menu.Item>
            </>
          )}
          {entries.map(({ key, Icon, name, act }) => (
            <Menu.Item key={key} leftSection={<Icon {...icon} />} onClick={act}>
              {name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          {user ? (
            <Menu.Item data-harmful leftSection={<IconLogout {...icon} />} onClick={() => void logout()}>
              {t('shell.logout')}
            </Menu.Item>
          ) : (
            <Menu.Item component={Link} to={paths.login(here)} leftSection={<IconLogin2 {...icon} />}>
              {t('shell.signIn')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog}
    </>
  )
}
