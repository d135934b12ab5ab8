import { UnstyledButton } from '@mantine/core'
import { IconLock, IconStar } from '@tabler/icons-react'
import type { TeamInfo } from '@vexil/contract/teams'
import type { ReactNode } from 'react'
import { useSession } from '../shell/session.ts'
import { Avatar } from '../ui/base/avatar.tsx'
import { Empty } from '../ui/base/states.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './teams.module.css'
import { captainOf, sortMembers } from './teams.queries.ts'

interface Props {
  readonly teams: readonly TeamInfo[]
  readonly onOpen: (id: number) => void
  readonly buttons: ReactNode
}

const shown = 6

export function TeamList({ teams, onOpen, buttons }: Props) {
  const { t } = useTranslation()
  if (teams.length === 0) {
    return <Empty flag="T" title={t('teams.none')} text={t('teams.noneText')} action={buttons} />
  }
  return (
    <ul className={c.list}>
      {teams.map((team) => (
        <li key={team.id}>
          <TeamCard team={team} onOpen={() => onOpen(team.id)} />
        </li>
      ))}
    </ul>
  )
}

function TeamCard({ team, onOpen }: { readonly team: TeamInfo; readonly onOpen: () => void }) {
  const { t } = useTranslation()
  const { user } = useSession()
  const members = sortMembers(team)
  const rest = members.slice(shown)
  const mine = captainOf(team)?.id === user?.userId
  const name = team.name ?? ''
  return (
    <UnstyledButton className={c.card} onClick={onOpen}>
      <Avatar src={team.avatar} name={name} id={team.id} size={56} />
      <span className={c.text}>
        <span className={c.head}>
          <span className={`${c.name} cut`}>{name}</span>
          {team.locked && (
            <Tooltip label={t('teams.lockedText')}>
              <IconLock size={16} stroke={1.8} role="img" aria-label={t('teams.locked')} />
            </Tooltip>
          )}
        </span>
        <span className={c.bio}>{team.bio || t('teams.noBio')}</span>
        <span className={c.foot}>
          <span className={mine ? c.captain : c.member}>
            {mine && <IconStar size={14} stroke={1.8} />}
            {t(mine ? 'teams.captain' : 'teams.member')}
          </span>
          <span className={c.faces}>
            {members.slice(0, shown).map((member) => (
              <Tooltip key={member.id} label={member.userName}>
                <span>
                  <Avatar
                    src={member.avatar}
                    name={member.userName ?? ''}
                    id={member.id ?? 0}
                    size={24}
                    label={member.userName ?? ''}
                  />
                </span>
              </Tooltip>
            ))}
            {rest.length > 0 && (
              <Tooltip label={rest.map((member) => member.userName).join(', ')}>
                <span className="small num">+{rest.length}</span>
              </Tooltip>
            )}
          </span>
        </span>
      </span>
    </UnstyledButton>
  )
}
