import { UnstyledButton } from '@mantine/core'
import { IconUserCircle } from '@tabler/icons-react'
import { Avatar } from '../ui/base/avatar.tsx'
import { singleFlight } from '../ui/base/single-flight.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { FrameMenu } from './frame-menu.tsx'
import c from './rail.module.css'
import { useSession } from './session.ts'

const list = singleFlight(() => import('./account-list.tsx'))

export function AccountMenu() {
  const { t } = useTranslation()
  const { user } = useSession()
  return (
    <FrameMenu load={list} label={t('shell.account')} position="right">
      <UnstyledButton
        className={c.entry}
        tabIndex={-1}
        aria-label={user?.userName ? `${t('shell.account')}: ${user.userName}` : t('shell.account')}
      >
        {user ? (
          <Avatar src={user.avatar} name={user.userName ?? ''} id={user.userId ?? 0} size={24} />
        ) : (
          <IconUserCircle size={22} stroke={1.6} />
        )}
      </UnstyledButton>
    </FrameMenu>
  )
}
