import { adminDeleteTeam, adminUpdateTeam, type ListedTeam } from '@vexil/contract/teams'
import { call } from '../../api/client.ts'
import { type Action, useAction } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useTeamsChanged } from '../people.queries.ts'

export function useTeamActions(team: ListedTeam): { readonly lock: Action<void>; readonly remove: Action<void> } {
  const { t } = useTranslation()
  const changed = useTeamsChanged()
  const params = { id: team.id }
  const name = team.name ?? ''
  const lock = useAction({
    id: `lock-${team.id}`,
    call: async () => call(adminUpdateTeam, { params, body: { locked: !team.locked } }),
    done: t(team.locked ? 'admin.teams.isUnlocked' : 'admin.teams.isLocked', { name }),
    failed: t('admin.notSaved'),
    onDone: changed,
  })
  const remove = useAction({
    id: `delete-team-${team.id}`,
    call: async () => call(adminDeleteTeam, { params }),
    done: t('admin.teams.deleted', { name }),
    failed: t('admin.notDeleted'),
    onDone: changed,
  })
  return { lock, remove }
}
