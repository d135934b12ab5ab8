import { ActionIcon } from '@mantine/core'
import { IconCrown, IconStar, IconUserMinus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { kickMember, type TeamInfo, transferTeam } from '@vexil/contract/teams'
import { call } from '../api/client.ts'
import { myTeamsQuery } from '../api/shared.queries.ts'
import { Avatar } from '../ui/base/avatar.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useConfirm } from '../ui/overlays/confirm.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './teams.module.css'
import { sortMembers, useTeamsChanged } from './teams.queries.ts'

type Member = NonNullable<TeamInfo['members']>[number]

interface Props {
  readonly team: TeamInfo
  /** The reader is the captain and can transfer the role or remove members. */
  readonly captain?: boolean
}

export function MemberList({ team, captain }: Props) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const changed = useTeamsChanged()
  const name = team.name ?? ''
  /** The response is the changed team, so the dialog updates at once. */
  const put = async (answer: TeamInfo) => {
    queries.setQueryData(myTeamsQuery.queryKey, (teams) => teams?.map((one) => (one.id === answer.id ? answer : one)))
    await changed()
  }
  /** Another member may have changed the team. */
  const onFail = () => {
    void changed()
    return undefined
  }
  const transfer = useAction({
    id: 'team',
    done: (_, member: Member) => t('teams.transferDone', { user: member.userName ?? '' }),
    failed: t('teams.transferFailed'),
    call: async (member: Member) => call(transferTeam, { params: { id: team.id }, body: { newCaptainId: member.id } }),
    onDone: put,
    onFail,
  })
  const kick = useAction({
    id: 'team',
    done: (_, member: Member) => t('teams.kickDone', { user: member.userName ?? '' }),
    failed: t('teams.kickFailed'),
    call: async (member: Member) => call(kickMember, { params: { id: team.id, userId: member.id ?? '' } }),
    onDone: put,
    onFail,
  })
  const confirmAndRun = async (kind: 'transfer' | 'kick', member: Member) => {
    const user = member.userName ?? ''
    const yes = await confirm({
      title: t(`teams.${kind}Title`, { user, name }),
      text: t(`teams.${kind}Text`),
      confirm: t(`teams.${kind}`),
      harmful: true,
    })
    if (yes) await (kind === 'transfer' ? transfer : kick).start(member)
  }
  const busy = transfer.busy || kick.busy || transfer.wait + kick.wait > 0
  // The lock is explained to keyboard and phone users, too.
  const hint = (label: string) => (team.locked ? `${label}. ${t('teams.lockedMay')}` : label)
  return (
    <section>
      <h3 className={c.label}>{t('teams.members', { count: team.members?.length ?? 0 })}</h3>
      <ul className={c.members}>
        {sortMembers(team).map((member) => (
          <li key={member.id}>
            <Avatar src={member.avatar} name={member.userName ?? ''} id={member.id ?? 0} size={32} />
            <span className={c.who}>
              <span className="cut">{member.userName}</span>
              {member.captain && (
                <IconStar size={16} stroke={1.8} color="var(--warn)" role="img" aria-label={t('teams.captain')} />
              )}
            </span>
            {captain && !member.captain && (
              <span className={c.tools}>
                <Tooltip label={hint(t('teams.transfer'))} touch>
                  <ActionIcon
                    aria-label={t('teams.transferOf', { user: member.userName ?? '' })}
                    disabled={busy}
                    onClick={() => void confirmAndRun('transfer', member)}
                  >
                    <IconCrown size={18} stroke={1.6} />
                  </ActionIcon>
                </Tooltip>
                <Tooltip label={hint(t('teams.kick'))} touch>
                  <ActionIcon
                    aria-label={t('teams.kickOf', { user: member.userName ?? '' })}
                    disabled={busy}
                    onClick={() => void confirmAndRun('kick', member)}
                  >
                    <IconUserMinus size={18} stroke={1.6} />
                  </ActionIcon>
                </Tooltip>
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
