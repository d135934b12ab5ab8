import { useQuery } from '@tanstack/react-query'
import type { ListedTeam } from '@vexil/contract/teams'
import { useState } from 'react'
import { QueryView } from '../../ui/base/states.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from '../list.module.css'
import { SearchField } from '../list-parts.tsx'
import { teamsQuery } from '../people.queries.ts'
import { AdminFrame } from '../site-admin-frame.tsx'
import { useExistingPage, useListAddress } from '../use-list-address.ts'
import { TeamDialog } from './edit-team-dialog.tsx'
import { TeamTable } from './team-table.tsx'

export default function AdminTeamsScreen() {
  const { t } = useTranslation()
  const list = useListAddress()
  const [edited, setEdited] = useState<ListedTeam>()
  const query = useQuery(teamsQuery({ hint: list.search, page: list.page }))
  useExistingPage(query, list)
  const narrowed = list.search !== '' || list.page > 1
  return (
    <AdminFrame tab="teams">
      <div className={c.tools}>
        <SearchField label={t('admin.teams.find')} search={list.search} onSearch={list.find} />
      </div>
      <QueryView query={query}>
        {({ data, total }) => (
          <TeamTable
            teams={data}
            total={total}
            page={list.page}
            onTurn={list.turn}
            onEdit={setEdited}
            {...(narrowed && { onShowAll: () => list.change({ search: null }) })}
          />
        )}
      </QueryView>
      {edited && <TeamDialog key={edited.id} team={edited} onClose={() => setEdited(undefined)} />}
    </AdminFrame>
  )
}
