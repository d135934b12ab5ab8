import { leaveTeam, type TeamInfo } from '@vexil/contract/teams'
import type { ReactNode } from 'react'
import { call } from '../api/client.ts'
import { Avatar } from '../ui/base/avatar.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { EndButton } from './end-button.tsx'
import c from './teams.module.css'

interface Props {
  readonly team: TeamInfo
  readonly onClose: () => void
  readonly children: ReactNode
}

export function MemberView({ team, onClose, children }: Props) {
  const { t } = useTranslation()
  return (
    <>
      <div className={c.top}>
        <span className={c.avatar}>
          <Avatar src={team.avatar} name={team.name ?? ''} id={team.id} size={112} />
        </span>
        <p className="dim">{team.bio || t('teams.noBio')}</p>
      </div>
      {children}
      <div className={c.buttons}>
        <EndButton kind="leave" team={team} onDone={onClose} end={() => call(leaveTeam, { params: { id: team.id } })} />
      </div>
    </>
  )
}
