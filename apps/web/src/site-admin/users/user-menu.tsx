import { ActionIcon, Menu } from '@mantine/core'
import { IconBan, IconDots, IconKey, IconLockOpen2, IconTrash } from '@tabler/icons-react'
import type { UserInfo } from '@vexil/contract/users'
import type { NewPassword } from '../../shell/new-passwords.ts'
import { type Question, useConfirm } from '../../ui/overlays/confirm.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useUserActions } from './use-user-actions.ts'

interface Props {
  readonly user: UserInfo
  readonly own: boolean
  readonly onPassword: (password: NewPassword) => void
}

const icon = { size: 18, stroke: 1.6 }

/** Actions that may harm an account, each with a confirmation. */
export function UserMenu({ user, own, onPassword }: Props) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const { reset, setRole, remove } = useUserActions(user, onPassword)
  const name = user.userName ?? ''
  const banned = user.role === 'Banned'
  const confirmAndRun = (question: Question, act: () => unknown) => () => void confirm(question).then((yes) => yes && act())
  const refused = own ? t('admin.users.notOneself') : undefined
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={t('admin.moreFor', { name })}>
          <IconDots {...icon} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconKey {...icon} />}
          onClick={confirmAndRun(
            {
              title: t('admin.users.resetTitle', { name }),
              text: t(own ? 'admin.users.resetOwnText' : 'admin.users.resetText'),
              confirm: t('admin.users.reset'),
              harmful: true,
            },
            reset.start,
          )}
        >
          {t('admin.users.resetPassword')}
        </Menu.Item>
        {banned ? (
          <Menu.Item
            leftSection={<IconLockOpen2 {...icon} />}
            onClick={confirmAndRun(
              { title: t('admin.users.unbanTitle', { name }), text: t('admin.users.unbanText'), confirm: t('admin.users.unban') },
              () => setRole.start('User'),
            )}
          >
            {t('admin.users.unban')}
          </Menu.Item>
        ) : (
          <Menu.Item
            data-harmful
            leftSection={<IconBan {...icon} />}
            disabled={own}
            title={refused}
            onClick={confirmAndRun(
              {
                title: t('admin.users.banTitle', { name }),
                text: t('admin.users.banText'),
                confirm: t('admin.users.ban'),
                harmful: true,
              },
              () => setRole.start('Banned'),
            )}
          >
            {t('admin.users.ban')}
          </Menu.Item>
        )}
        <Menu.Item
          data-harmful
          leftSection={<IconTrash {...icon} />}
          disabled={own}
          title={refused}
          onClick={confirmAndRun(
            {
              title: t('admin.users.deleteTitle', { name }),
              text: t('admin.users.deleteText'),
              confirm: t('ui.delete'),
              harmful: true,
            },
            remove.start,
          )}
        >
          {t('ui.delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
