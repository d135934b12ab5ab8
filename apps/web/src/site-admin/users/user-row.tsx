import { Switch } from '@mantine/core'
import type { UserInfo } from '@vexil/contract/users'
import type { NewPassword } from '../../shell/new-passwords.ts'
import { useSession } from '../../shell/session.ts'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from '../list.module.css'
import { PickCell, type Picks } from '../picks.tsx'
import { EditButton, Named } from '../row-parts.tsx'
import { hasVisited, LastSeen } from './last-seen.tsx'
import { RoleWord } from './role-word.tsx'
import { useUserActions } from './use-user-actions.ts'
import { UserMenu } from './user-menu.tsx'
import u from './users.module.css'

interface Props {
  readonly user: UserInfo
  readonly picks: Picks<UserInfo>
  readonly onEdit: () => void
  readonly onPassword: (password: NewPassword) => void
}

export function UserRow({ user, picks, onEdit, onPassword }: Props) {
  const { t } = useTranslation()
  const own = useSession().user?.userId === user.id
  const { activate } = useUserActions(user, onPassword)
  const name = user.userName ?? ''
  const active = user.emailConfirmed ?? false
  return (
    <tr data-picked={picks.has(user) || undefined}>
      <PickCell item={user} name={name} picks={picks} />
      <td className={u.active}>
        <Tooltip label={t('admin.users.notOneself')} disabled={!own}>
          <Switch
            aria-label={t('admin.users.activeOne', { name })}
            checked={activate.busy ? !active : active}
            disabled={own}
            onChange={(event) => void activate.start(event.currentTarget.checked)}
          />
        </Tooltip>
      </td>
      <td className={u.user}>
        <Named avatar={user.avatar} name={name} id={user.id ?? name}>
          <button type="button" className={`${c.name} ${u.open} cut`} onClick={onEdit}>
            {name}
          </button>
          <RoleWord role={user.role ?? 'User'} />
        </Named>
      </td>
      <td className={`${u.email} small`}>
        <span className={`${u.whole} cut`} title={user.email ?? ''}>
          {user.email}
        </span>
      </td>
      <td className={`${u.seen} small`}>
        <LastSeen user={user} style="relative" />
        {hasVisited(user) && <span className={`${c.second} num`}>{user.ip}</span>}
      </td>
      <td className={`${u.person} small`}>
        <span className="cut">{user.realName}</span>
        <span className={`${c.second} cut`}>{user.stdNumber}</span>
      </td>
      <td className={u.actions}>
        <span className={c.actions}>
          <EditButton label={t('admin.users.editOne', { name })} onClick={onEdit} />
          <UserMenu user={user} own={own} onPassword={onPassword} />
        </span>
      </td>
    </tr>
  )
}
