import type { TeamInfo } from '@vexil/contract/teams'
import { useSession } from '../shell/session.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { CaptainForm } from './captain-form.tsx'
import { InviteCode } from './invite-code.tsx'
import { MemberList } from './member-list.tsx'
import { MemberView } from './member-view.tsx'
import c from './teams.module.css'
import { captainOf } from './teams.queries.ts'

interface Props {
  readonly team: TeamInfo | undefined
  readonly onClose: () => void
}

export function TeamDialog({ team, onClose }: Props) {
  const { t } = useTranslation()
  const { user } = useSession()
  const captain = team !== undefined && captainOf(team)?.id === user?.userId
  return (
    <Dialog
      opened={team !== undefined}
      onClose={onClose}
      title={team?.name ?? ''}
      sub={team?.locked ? t('teams.lockedText') : undefined}
      size={600}
      tall
    >
      {team && (
        <div className={c.form}>
          {captain ? (
            <CaptainForm team={team} onClose={onClose}>
              <InviteCode team={team} />
              <MemberList team={team} captain />
            </CaptainForm>
          ) : (
            <MemberView team={team} onClose={onClose}>
              <MemberList team={team} />
            </MemberView>
          )}
        </div>
      )}
    </Dialog>
  )
}
