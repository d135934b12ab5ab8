import { adminDeleteTeam, adminUpdateTeam, type ListedTeam } from '@vexil/contract/teams'
import { call } from '../../api/client.ts'
import { useMany } from '../../shell/use-many.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useTeamsChanged } from '../people.queries.ts'
import { PickBar, type Picks } from '../picks.tsx'

export function TeamsBar({ picks }: { readonly picks: Picks<ListedTeam> }) {
  const { t } = useTranslation()
  const refresh = useTeamsChanged()
  const common = { working: t('admin.changing'), failed: t('admin.notSaved'), onDone: refresh }
  const set = (locked: boolean) => (team: ListedTeam) => call(adminUpdateTeam, { params: { id: team.id }, body: { locked } })
  const lock = useMany<ListedTeam>({
    id: 'lock-teams',
    ...common,
    call: set(true),
    done: ({ length: count }) => t('admin.teams.manyLocked', { count }),
  })
  const unlock = useMany<ListedTeam>({
    id: 'unlock-teams',
    ...common,
    call: set(false),
    done: ({ length: count }) => t('admin.teams.manyUnlocked', { count }),
  })
  const remove = useMany<ListedTeam>({
    id: 'delete-teams',
    ...common,
    call: ({ id }) => call(adminDeleteTeam, { params: { id } }),
    already: 'team.not_found',
    done: ({ length: count }) => t('admin.teams.manyDeleted', { count }),
    failed: t('admin.notDeleted'),
  })
  const count = picks.chosen.length
  const names = picks.chosen.map(({ name }) => name).join(', ')
  const solves = picks.chosen.reduce((sum, team) => sum + team.solves, 0)
  const textsOf = (what: 'lock' | 'unlock' | 'delete', text: string) => ({
    name: t(what === 'delete' ? 'ui.delete' : `admin.teams.${what}`),
    title: t(`admin.teams.${what}ManyTitle`, { count }),
    text: `${names}. ${text}`,
  })
  const lost = solves > 0 ? t('admin.teams.deleteManySolved', { count: solves }) : t('admin.teams.deleteText')
  return (
    <PickBar
      picks={picks}
      actions={[
        { ...textsOf('lock', t('admin.teams.lockText')), action: lock },
        { ...textsOf('unlock', t('admin.teams.unlockText')), action: unlock },
        { ...textsOf('delete', lost), action: remove, harmful: true, typed: String(count) },
      ]}
    />
  )
}
