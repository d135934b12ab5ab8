import { useQueryClient } from '@tanstack/react-query'
import type { TeamInfo } from '@vexil/contract/teams'
import { myTeamsQuery } from '../api/shared.queries.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useTeamsChanged } from './teams.queries.ts'

interface Props {
  readonly kind: 'disband' | 'leave'
  readonly team: TeamInfo
  readonly end: () => Promise<unknown>
  readonly onDone: () => void
}

/** Disbands or leaves after a question with the team's name. A lock may be stale, so it only warns; the server decides. */
export function EndButton({ kind, team, end, onDone }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const changed = useTeamsChanged()
  const name = team.name ?? ''
  const action = useAction({
    id: 'team',
    call: async () => end(),
    done: t(`teams.${kind}Done`, { name }),
    failed: t(`teams.${kind}Failed`),
    onDone: async () => {
      onDone()
      queries.setQueryData(myTeamsQuery.queryKey, (teams) => teams?.filter(({ id }) => id !== team.id))
      await changed()
    },
    // Another member may have changed the team.
    onFail: () => {
      void changed()
      return undefined
    },
  })
  const confirmAndRun = async () => {
    const question = { title: t(`teams.${kind}Title`, { name }), text: t(`teams.${kind}Text`), confirm: t(`teams.${kind}`) }
    if (await confirm({ ...question, harmful: true })) await action.start()
  }
  return (
    <Tooltip label={t('teams.lockedMay')} disabled={!team.locked} touch>
      <ActionButton action={action} variant="outline" color="bad" onClick={() => void confirmAndRun()}>
        {t(`teams.${kind}`)}
      </ActionButton>
    </Tooltip>
  )
}
