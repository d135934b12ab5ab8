import { Menu } from '@mantine/core'
import { IconSearch, IconUser } from '@tabler/icons-react'
import type { HTMLAttributes, ReactElement } from 'react'
import { Link, useLocation } from 'react-router'
import { useTranslation } from '../ui/text/texts.tsx'
import { useDeviceEntries } from './account-list.tsx'
import { useOpenAtOnce } from './frame-menu.tsx'
import { openPalette } from './palette.tsx'
import { paths } from './paths.ts'
import { useScheme } from './scheme-switch.tsx'
import { useSession } from './session.ts'
import { tabOf, tabsFor } from './tabs.ts'

const icon = { size: 18, stroke: 1.6 }

/** A closing menu returns the focus within this time; a dialog that opens before would lose it. */
const focusReturnMs = 50

export default function PhoneList({ button }: { readonly button: ReactElement<HTMLAttributes<HTMLElement>> }) {
  const { t } = useTranslation()
  const { user, role } = useSession()
  const active = tabOf(useLocation().pathname)
  const scheme = useScheme()
  const { entries, dialog } = useDeviceEntries()
  const [opened, setOpened] = useOpenAtOnce()
  return (
    <>
      <Menu position="bottom-end" width={248} opened={opened} onChange={setOpened}>
        <Menu.Target>{button}</Menu.Target>
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
          <Menu.Item leftSection={<IconSearch {...icon} />} onClick={() => setTimeout(openPalette, focusReturnMs)}>
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
    </>
  )
}
