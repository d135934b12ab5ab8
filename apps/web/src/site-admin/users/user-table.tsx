import { Button } from '@mantine/core'
import type { UserInfo } from '@vexil/contract/users'
import { useState } from 'react'
import type { NewPassword } from '../../shell/new-passwords.ts'
import { useSession } from '../../shell/session.ts'
import { Empty } from '../../ui/base/states.tsx'
import table from '../../ui/base/table.module.css'
import { focusSearch } from '../../ui/base/use-slash.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from '../list.module.css'
import { ListFoot } from '../list-parts.tsx'
import { PickHead, usePicks } from '../picks.tsx'
import { PasswordOnce } from './password-once.tsx'
import { UserRow } from './user-row.tsx'
import u from './users.module.css'
import { UsersBar } from './users-bar.tsx'

interface Props {
  readonly users: readonly UserInfo[]
  readonly total: number
  readonly page: number
  readonly onTurn: (page: number) => void
  readonly onEdit: (user: UserInfo) => void
  readonly onShowAll?: () => void
}

export function UserTable({ users, total, page, onTurn, onEdit, onShowAll }: Props) {
  const { t } = useTranslation()
  const own = useSession().user?.userId
  // The own account cannot be part of a bulk action.
  const picks = usePicks(
    users.filter(({ id }) => id !== own),
    ({ id }) => id ?? '',
  )
  const [password, setPassword] = useState<NewPassword>()
  if (users.length === 0) {
    const all = onShowAll && (
      <Button
        variant="default"
        onClick={() => {
          onShowAll()
          focusSearch()
        }}
      >
        {t('admin.clearSearch')}
      </Button>
    )
    return <Empty flag="U" title={t('admin.users.none')} action={all} />
  }
  return (
    <>
      <table className={`${table.table} ${table.cards} ${c.table} ${u.table}`}>
        <thead>
          <tr>
            <PickHead picks={picks} />
            {(['active', 'user', 'email', 'seen', 'person', 'actions'] as const).map((column) => (
              <th key={column} scope="col" className={u[column]}>
                <span className={column === 'actions' ? 'unseen' : undefined}>{t(`admin.users.column.${column}`)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <UserRow key={user.id} user={user} picks={picks} onEdit={() => onEdit(user)} onPassword={setPassword} />
          ))}
        </tbody>
      </table>
      <UsersBar picks={picks} />
      <ListFoot shown={users.length} total={total} page={page} onTurn={onTurn} />
      {password && <PasswordOnce {...password} onClose={() => setPassword(undefined)} />}
    </>
  )
}
