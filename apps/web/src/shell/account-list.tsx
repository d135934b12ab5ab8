import { Menu } from '@mantine/core'
import {
  IconBaselineDensityMedium,
  IconBaselineDensitySmall,
  IconEraser,
  IconLogin2,
  IconLogout,
  IconPalette,
  IconUser,
} from '@tabler/icons-react'
import { type HTMLAttributes, type ReactElement, type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { lazyPart } from '../ui/base/lazy-part.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useOpenAtOnce } from './frame-menu.tsx'
import { paths } from './paths.ts'
import { chooseDensity, clearCache, useDensity } from './preferences.ts'
import { useLogout, useSession } from './session.ts'

const ColourDialog = lazyPart(() => import('./colour-dialog.tsx'))
const icon = { size: 18, stroke: 1.6 }

/** Where a visitor returns after signing in; account pages are excluded. */
function useHere(): string | undefined {
  const { pathname, search } = useLocation()
  return pathname === '/' || pathname.toLowerCase().startsWith('/account/') ? undefined : `${pathname}${search}`
}

export function useDeviceEntries(): { entries: ReactNode; dialog: ReactNode } {
  const { t } = useTranslation()
  const { user } = useSession()
  const logout = useLogout()
  const here = useHere()
  const density = useDensity()
  const [colours, setColours] = useState(false)
  const other = density === 'compact' ? 'comfortable' : 'compact'
  const entry = (name: string, Icon: typeof IconUser, act: () => void) => (
    <Menu.Item leftSection={<Icon {...icon} />} onClick={act}>
      {name}
    </Menu.Item>
  )
  return {
    entries: (
      <>
        {entry(t('shell.colour'), IconPalette, () => setColours(true))}
        {entry(t(`shell.${other}`), other === 'compact' ? IconBaselineDensitySmall : IconBaselineDensityMedium, () =>
          chooseDensity(other),
        )}
        {entry(t('shell.clearCache'), IconEraser, clearCache)}
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
      </>
    ),
    dialog: <ColourDialog wanted={colours} opened={colours} onClose={() => setColours(false)} />,
  }
}

export default function AccountList({ button }: { readonly button: ReactElement<HTMLAttributes<HTMLElement>> }) {
  const { t } = useTranslation()
  const { user } = useSession()
  const device = useDeviceEntries()
  const [opened, setOpened] = useOpenAtOnce()
  return (
    <>
      <Menu position="right-end" width={240} opened={opened} onChange={setOpened}>
        <Menu.Target>
          <Tooltip label={t('shell.account')} disabled={opened} position="right">
            {button}
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
          {device.entries}
        </Menu.Dropdown>
      </Menu>
      {device.dialog}
    </>
  )
}
