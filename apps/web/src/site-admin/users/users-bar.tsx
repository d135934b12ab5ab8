import { deleteUser, type UserInfo, updateUser } from '@vexil/contract/users'
import { call } from '../../api/client.ts'
import { useMany } from '../../shell/use-many.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useUsersChanged } from '../people.queries.ts'
import { PickBar, type Picks } from '../picks.tsx'

export function UsersBar({ picks }: { readonly picks: Picks<UserInfo> }) {
  const { t } = useTranslation()
  const refresh = useUsersChanged()
  const common = { working: t('admin.changing'), failed: t('admin.notSaved'), onDone: refresh }
  const set = (emailConfirmed: boolean) => (user: UserInfo) =>
    call(updateUser, { params: { userId: user.id ?? '' }, body: { emailConfirmed } })
  const activate = useMany<UserInfo>({
    id: 'activate-users',
    ...common,
    call: set(true),
    done: ({ length: count }) => t('admin.users.manyActive', { count }),
  })
  const deactivate = useMany<UserInfo>({
    id: 'deactivate-users',
    ...common,
    call: set(false),
    done: ({ length: count }) => t('admin.users.manyInactive', { count }),
  })
  const remove = useMany<UserInfo>({
    id: 'delete-users',
    ...common,
    call: (user) => call(deleteUser, { params: { userId: user.id ?? '' } }),
    already: 'user.not_found',
    done: ({ length: count }) => t('admin.users.manyDeleted', { count }),
    failed: t('admin.notDeleted'),
  })
  const count = picks.chosen.length
  const names = picks.chosen.map(({ userName }) => userName).join(', ')
  const textsOf = (what: 'activate' | 'deactivate' | 'delete') => ({
    name: t(`admin.users.${what}Many`),
    title: t(`admin.users.${what}ManyTitle`, { count }),
    text: `${names}. ${t(`admin.users.${what}ManyText`)}`,
  })
  return (
    <PickBar
      picks={picks}
      actions={[
        { ...textsOf('activate'), action: activate },
        { ...textsOf('deactivate'), action: deactivate, harmful: true },
        { ...textsOf('delete'), action: remove, harmful: true, typed: String(count) },
      ]}
    />
  )
}
