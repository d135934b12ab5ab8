import { Button } from '@mantine/core'
import type { ListedTeam } from '@vexil/contract/teams'
import { Empty } from '../../ui/base/states.tsx'
import table from '../../ui/base/table.module.css'
import { focusSearch } from '../../ui/base/use-slash.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from '../list.module.css'
import { ListFoot } from '../list-parts.tsx'
import { PickHead, usePicks } from '../picks.tsx'
import { TeamRow } from './team-row.tsx'
import m from './teams.module.css'
import { TeamsBar } from './teams-bar.tsx'

interface Props {
  readonly teams: readonly ListedTeam[]
  readonly total: number
  readonly page: number
  readonly onTurn: (page: number) => void
  readonly onEdit: (team: ListedTeam) => void
  readonly onShowAll?: () => void
}

export function TeamTable({ teams, total, page, onTurn, onEdit, onShowAll }: Props) {
  const { t } = useTranslation()
  const picks = usePicks(teams, ({ id }) => id)
  if (teams.length === 0) {
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
    return <Empty flag="T" title={t(onShowAll ? 'admin.teams.notFound' : 'admin.teams.none')} action={all} />
  }
  return (
    <>
      <table className={`${table.table} ${table.cards} ${c.table} ${m.table}`}>
        <thead>
          <tr>
            <PickHead picks={picks} />
            {(['team', 'members', 'bio', 'actions'] as const).map((column) => (
              <th key={column} scope="col" className={m[column]}>
                <span className={column === 'actions' ? 'unseen' : undefined}>{t(`admin.teams.column.${column}`)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {teams.map((team) => (
            <TeamRow key={team.id} team={team} picks={picks} onEdit={() => onEdit(team)} />
          ))}
        </tbody>
      </table>
      <TeamsBar picks={picks} />
      <ListFoot shown={teams.length} total={total} page={page} onTurn={onTurn} />
    </>
  )
}
