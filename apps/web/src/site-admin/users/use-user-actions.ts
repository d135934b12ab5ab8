import { deleteUser, resetUserPassword, type UserInfo, updateUser } from '@vexil/contract/users'
import type { Role } from '@vexil/core/vocabulary'
import { call } from '../../api/client.ts'
import { keepPasswords, type NewPassword } from '../../shell/new-passwords.ts'
import { type Action, useAction } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useUsersChanged } from '../people.queries.ts'

interface UserActions {
  readonly activate: Action<boolean>
  readonly reset: Action<void>
  readonly setRole: Action<Role>
  readonly remove: Action<void>
}

export function useUserActions(user: UserInfo, onPassword: (password: NewPassword) => void): UserActions {
  const { t } = useTranslation()
  const changed = useUsersChanged()
  const params = { userId: user.id ?? '' }
  const name = user.userName ?? ''
  const activate = useAction({
    id: `activate-${user.id}`,
    call: async (emailConfirmed: boolean) => call(updateUser, { params, body: { emailConfirmed } }),
    done: (_, on) => t(on ? 'admin.users.isActive' : 'admin.users.isInactive', { name }),
    failed: t('admin.notSaved'),
    onDone: changed,
  })
  const reset = useAction({
    id: `password-${user.id}`,
    // The password is passed only to the dialog: the result of an action stays in memory for minutes.
    call: async () => {
      const password = await call(resetUserPassword, { params })
      const made = { userName: name, password, email: user.email ?? '', teamName: '' }
      keepPasswords([made])
      onPassword(made)
    },
    failed: t('admin.users.notReset'),
  })
  const setRole = useAction({
    id: `role-${user.id}`,
    call: async (role: Role) => call(updateUser, { params, body: { role } }),
    done: (_, role) => t(role === 'Banned' ? 'admin.users.isBanned' : 'admin.users.isUnbanned', { name }),
    failed: t('admin.notSaved'),
    onDone: changed,
  })
  const remove = useAction({
    id: `delete-${user.id}`,
    call: async () => call(deleteUser, { params }),
    done: t('admin.users.deleted', { name }),
    failed: t('admin.notDeleted'),
    onDone: changed,
  })
  return { activate, reset, setRole, remove }
}
