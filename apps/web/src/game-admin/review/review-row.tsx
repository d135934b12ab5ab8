import { Checkbox } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconStar } from '@tabler/icons-react'
import type { ParticipationInfo } from '@vexil/contract/games'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { useId, useState } from 'react'
import { Avatar } from '../../ui/base/avatar.tsx'
import { Opener } from '../../ui/base/opener.tsx'
import { StatusActions, StatusWord } from '../../ui/game/participation-status.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './review.module.css'
import type { Warning } from './review.ts'

interface Props {
  readonly participation: ParticipationInfo
  readonly warnings: readonly Warning[]
  readonly busy: boolean
  readonly picked: boolean
  readonly onPick: (on: boolean) => void
  readonly onSet: (status: ParticipationStatus) => void
}

/** The name expands the members; the actions are next to it, so that they do not. */
export function ReviewRow({ participation, warnings, busy, picked, onPick, onSet }: Props) {
  const { t } = useTranslation()
  const id = useId()
  const [opened, setOpened] = useState(false)
  const { team, registeredMembers, organization, status } = participation
  const name = team.name ?? ''
  return (
    <li className={c.team}>
      <div className={c.head}>
        <Checkbox
          aria-label={t('admin.review.pick', { team: name })}
          checked={picked}
          onChange={(event) => onPick(event.currentTarget.checked)}
        />
        <Opener team={{ ...team, name }} sub={team.bio} opened={opened} controls={id} onToggle={() => setOpened(!opened)} />
        <span className={c.facts}>
          <span className="small cut">{organization}</span>
          <span className="small num faint">
            {t('admin.review.registered', { count: registeredMembers.length, members: team.members?.length ?? 0 })}
          </span>
          <span>
            <StatusWord status={status} />
            {warnings.length > 0 && (
              <Tooltip label={warnings.map((one) => t(`admin.review.warning.${one}`)).join(' ')}>
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the words of the mark must be reachable by keyboard */}
                <span className={c.mark} tabIndex={0}>
                  <IconAlertTriangle size={16} stroke={1.8} />
                  {warnings.map((one) => t(`admin.review.short.${one}`)).join(', ')}
                </span>
              </Tooltip>
            )}
          </span>
        </span>
        <span className={c.actions}>
          <StatusActions status={status} team={name} busy={busy} onSet={onSet} />
        </span>
      </div>
      <div id={id} className={c.members} hidden={!opened}>
        {opened && <Members participation={participation} />}
      </div>
    </li>
  )
}

const personal = ['realName', 'stdNumber', 'email', 'phone'] as const

/** On narrow screens a member's cells are below each other, each with its label. */
function Members({ participation: { team, registeredMembers } }: Pick<Props, 'participation'>) {
  const { t } = useTranslation()
  const orEmpty = (text: string | null) => text || <span className="faint">{t('admin.review.empty')}</span>
  return (
    <table>
      <thead>
        <tr>
          {(['user', ...personal, 'registered'] as const).map((column) => (
            <th key={column} scope="col">
              {t(`admin.review.column.${column}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(team.members ?? []).map((member) => (
          <tr key={member.userId}>
            <td>
              <span className={c.who}>
                <Avatar src={member.avatar} name={member.userName ?? ''} id={member.userId ?? 0} size={24} />
                {member.userName}
                {member.userId === team.captainId && (
                  <IconStar size={16} stroke={1.8} color="var(--warn)" role="img" aria-label={t('teams.captain')} />
                )}
              </span>
            </td>
            {personal.map((column) => (
              <td key={column} data-label={t(`admin.review.column.${column}`)}>
                {orEmpty(member[column])}
              </td>
            ))}
            <td data-label={t('admin.review.column.registered')}>
              {member.userId && registeredMembers.includes(member.userId) ? (
                <IconCheck size={16} stroke={1.8} color="var(--ok)" role="img" aria-label={t('admin.review.yes')} />
              ) : (
                <span className="faint">{t('admin.review.no')}</span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
