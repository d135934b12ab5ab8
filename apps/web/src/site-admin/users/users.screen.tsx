import { Button } from '@mantine/core'
import { IconUserPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { UserInfo } from '@vexil/contract/users'
import { roles } from '@vexil/core/vocabulary'
import { lazy, Suspense, useState } from 'react'
import { withRetry } from '../../ui/base/chunk-recovery.ts'
import { lazyPart } from '../../ui/base/lazy-part.tsx'
import { QueryView } from '../../ui/base/states.tsx'
import { Select } from '../../ui/fields/select.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from '../list.module.css'
import { SearchField } from '../list-parts.tsx'
import { usersQuery } from '../people.queries.ts'
import { AdminFrame } from '../site-admin-frame.tsx'
import { useExistingPage, useListAddress } from '../use-list-address.ts'
import { UnsavedPasswords } from './unsaved-passwords.tsx'
import { UserTable } from './user-table.tsx'

const UserDialog = lazyPart(() => import('./user-dialog.tsx'))
const AddUsersDialog = lazy(withRetry(() => import('./add-users-dialog.tsx')))

export default function UsersScreen() {
  const { t } = useTranslation()
  const list = useListAddress()
  const [adding, setAdding] = useState(false)
  const [edited, setEdited] = useState<UserInfo>()
  const role = roles.find((one) => one === list.part('role')) ?? null
  const activity = (['active', 'inactive'] as const).find((one) => one === list.part('activity')) ?? null
  const query = useQuery(usersQuery({ hint: list.search, role, activity, page: list.page }))
  useExistingPage(query, list)
  const narrowed = list.search !== '' || role !== null || activity !== null || list.page > 1
  return (
    <AdminFrame tab="users">
      <div className={c.tools}>
        <SearchField label={t('admin.users.find')} search={list.search} onSearch={list.find} />
        <Select
          className={c.select}
          aria-label={t('admin.users.role')}
          placeholder={t('admin.users.allRoles')}
          clearable
          clearButtonProps={{ 'aria-label': t('admin.clearSearch') }}
          data={roles.map((value) => ({ value, label: t(`admin.users.roles.${value}`) }))}
          value={role}
          onChange={(value) => list.change({ role: value })}
        />
        <Select
          className={c.select}
          aria-label={t('admin.users.activity')}
          placeholder={t('admin.users.allActivity')}
          clearable
          clearButtonProps={{ 'aria-label': t('admin.clearSearch') }}
          data={(['active', 'inactive'] as const).map((value) => ({ value, label: t(`admin.users.is.${value}`) }))}
          value={activity}
          onChange={(value) => list.change({ activity: value })}
        />
        <span className={c.right}>
          <Button leftSection={<IconUserPlus size={18} stroke={1.8} />} onClick={() => setAdding(true)}>
            {t('admin.users.add')}
          </Button>
        </span>
      </div>
      <UnsavedPasswords />
      <QueryView query={query}>
        {({ data, total }) => (
          <UserTable
            users={data}
            total={total}
            page={list.page}
            onTurn={list.turn}
            onEdit={setEdited}
            {...(narrowed && { onShowAll: () => list.change({ search: null, role: null, activity: null }) })}
          />
        )}
      </QueryView>
      {edited && <UserDialog wanted key={edited.id} user={edited} onClose={() => setEdited(undefined)} />}
      {adding && (
        <Suspense>
          <AddUsersDialog onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </AdminFrame>
  )
}
