import { IconLock, IconLockOpen, IconTrash } from '@tabler/icons-react'
import type { ListedTeam } from '@vexil/contract/teams'
import { Avatar } from '../../ui/base/avatar.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from '../list.module.css'
import { PickCell, type Picks } from '../picks.tsx'
import { ConfirmButton, EditButton, Named } from '../row-parts.tsx'
import m from './teams.module.css'
import { useTeamActions } from './use-team-actions.ts'

interface Props {
  readonly team: ListedTeam
  readonly picks: Picks<ListedTeam>
  readonly onEdit: () => void
}

export function TeamRow({ team, picks, onEdit }: Props) {
  const { t } = useTranslation()
  const { lock, remove } = useTeamActions(team)
  const { id, locked, solves } = team
  const name = team.name ?? ''
  const LockIcon = locked ? IconLock : IconLockOpen
  return (
    <tr data-picked={picks.has(team) || undefined}>
      <PickCell item={team} name={name} picks={picks} />
      <td className={m.team}>
        <Named avatar={team.avatar} name={name} id={id}>
          <span className={`${c.name} cut`} title={name}>
            {name}
          </span>
          <span className={c.word} style={{ color: locked ? 'var(--warn)' : 'var(--ok)' }}>
            <LockIcon size={14} stroke={1.8} />
            {t(locked ? 'admin.teams.locked' : 'admin.teams.unlocked')}
          </span>
        </Named>
      </td>
      <td className={m.members}>
        <MemberFaces members={team.members ?? []} />
      </td>
      <td className={`${m.bio} small`}>
        <span className={`${m.words} cut`} title={team.bio ?? ''}>
          {team.bio}
        </span>
      </td>
      <td className={m.actions}>
        <span className={c.actions}>
          <EditButton label={t('admin.teams.editOne', { name })} onClick={onEdit} />
          <ConfirmButton
            label={t(locked ? 'admin.teams.unlockOne' : 'admin.teams.lockOne', { name })}
            Icon={locked ? IconLockOpen : IconLock}
            title={t(locked ? 'admin.teams.unlockTitle' : 'admin.teams.lockTitle', { name })}
            text={t(locked ? 'admin.teams.unlockText' : 'admin.teams.lockText')}
            confirm={t(locked ? 'admin.teams.unlock' : 'admin.teams.lock')}
            onConfirm={() => void lock.start()}
          />
          <ConfirmButton
            label={t('admin.teams.deleteOne', { name })}
            Icon={IconTrash}
            title={t('admin.teams.deleteTitle', { name })}
            text={solves > 0 ? t('admin.teams.deleteSolved', { count: solves }) : t('admin.teams.deleteText')}
            confirm={t('ui.delete')}
            harmful
            onConfirm={() => void remove.start()}
          />
        </span>
      </td>
    </tr>
  )
}

const faces = 8

/** The captain first; members that do not fit are a number with a tooltip. */
function MemberFaces({ members }: { readonly members: NonNullable<ListedTeam['members']> }) {
  const { t } = useTranslation()
  const sorted = [...members].sort((a, b) => Number(b.captain) - Number(a.captain))
  const nameOf = ({ userName, captain }: (typeof sorted)[number]) =>
    captain ? t('admin.teams.captain', { name: userName }) : (userName ?? '')
  const rest = sorted.slice(faces)
  return (
    <span className={m.faces}>
      {sorted.slice(0, faces).map((member) => (
        <Tooltip key={member.id} label={nameOf(member)}>
          <span className={m.face} data-captain={member.captain || undefined}>
            <Avatar src={member.avatar} name={member.userName ?? ''} id={member.id ?? ''} size={24} label={nameOf(member)} />
          </span>
        </Tooltip>
      ))}
      {rest.length > 0 && (
        <Tooltip label={rest.map(nameOf).join(', ')}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the names behind the number must be reachable by keyboard */}
          <span className="small num" tabIndex={0}>
            +{rest.length}
          </span>
        </Tooltip>
      )}
    </span>
  )
}
