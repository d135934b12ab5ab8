import { Radio, Switch, Textarea, TextInput } from '@mantine/core'
import { type UserInfo, updateUser } from '@vexil/contract/users'
import { accountLimits } from '@vexil/core/limits'
import { type Role, roles } from '@vexil/core/vocabulary'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import { useSession } from '../../shell/session.ts'
import { useConfirmClose } from '../../shell/unsaved.tsx'
import { Avatar } from '../../ui/base/avatar.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { FormFoot } from '../../ui/fields/form-foot.tsx'
import { changedKeys } from '../../ui/fields/use-draft.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import { useUsersChanged } from '../people.queries.ts'
import { hasVisited, LastSeen } from './last-seen.tsx'
import { refusedField, type UserFields, userBody, userFields, type WrongField, wrongUser } from './user-fields.ts'
import u from './users.module.css'

type Wrong = Partial<Record<WrongField | 'role', string>>
type Text = 'userName' | 'email' | 'phone' | 'stdNumber' | 'realName' | 'bio'

interface Props {
  readonly user: UserInfo
  readonly onClose: () => void
}

/** All fields of an account; one's own role is fixed, and that of a banned account, which the menu of its row lifts. */
export default function UserDialog({ user, onClose }: Props) {
  const { t } = useTranslation()
  const own = useSession().user?.userId === user.id
  const refresh = useUsersChanged()
  const saved = userFields(user)
  const [fields, setFields] = useState(saved)
  const [wrong, setWrong] = useState<Wrong>({})
  const changed = changedKeys(fields, saved)
  const name = saved.userName
  const save = useAction({
    id: `user-${user.id}`,
    call: async () => call(updateUser, { params: { userId: user.id ?? '' }, body: userBody(fields, changed) }),
    done: t('admin.users.saved', { name: fields.userName.trim() }),
    failed: t('admin.notSaved'),
    onDone: async () => {
      await refresh()
      onClose()
    },
    onFail: (refusal) => {
      const field = refusedField(refusal.code)
      if (field) setWrong({ [field]: refusal.title })
      return field !== undefined
    },
  })
  const close = useConfirmClose(changed.length > 0 && !save.busy, onClose)
  const change = (part: Partial<UserFields>) => {
    setFields({ ...fields, ...part })
    setWrong({})
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = wrongUser(fields)
    if (found.length > 0) return setWrong(Object.fromEntries(found.map((field) => [field, t(`admin.users.wrong.${field}`)])))
    void save.start()
  }
  const text = (field: Text, maxLength: number) => ({
    label: t(`account.${field}`),
    maxLength,
    value: fields[field],
    error: field in wrong && wrong[field as WrongField],
    onChange: (event: FormEvent<HTMLInputElement | HTMLTextAreaElement>) => change({ [field]: event.currentTarget.value }),
  })
  return (
    <Dialog opened onClose={close} title={t('admin.users.editOne', { name })} size={640} tall>
      <form className={u.form} onSubmit={submit} noValidate>
        <Facts user={user} name={name} />
        <TextInput data-autofocus {...text('userName', accountLimits.userNameMax)} />
        <TextInput type="email" {...text('email', accountLimits.emailMax)} />
        <TextInput {...text('realName', accountLimits.realNameMax)} />
        <TextInput {...text('stdNumber', accountLimits.studentNumberMax)} />
        <TextInput type="tel" {...text('phone', accountLimits.phoneMax)} />
        <Switch
          className={u.switch}
          label={t('admin.users.mayPlay')}
          checked={fields.emailConfirmed}
          disabled={own}
          onChange={(event) => change({ emailConfirmed: event.currentTarget.checked })}
        />
        <Textarea className={u.wide} autosize minRows={2} {...text('bio', accountLimits.bioMax)} />
        <RoleField role={fields.role} error={wrong.role} own={own} onChange={(role) => change({ role })} />
        <FormFoot action={save} onCancel={onClose} disabled={changed.length === 0} style={{ gridColumn: '1 / -1' }}>
          {t('ui.save')}
        </FormFoot>
      </form>
    </Dialog>
  )
}

function Facts({ user, name }: { readonly user: UserInfo; readonly name: string }) {
  const { t } = useTranslation()
  return (
    <div className={u.head}>
      <Avatar src={user.avatar} name={name} id={user.id ?? name} size={64} />
      <dl className={u.facts}>
        <dt>{t('admin.users.column.seen')}</dt>
        <dd>
          <LastSeen user={user} style="exact" />
        </dd>
        <dt>{t('admin.users.ip')}</dt>
        <dd className="num">{hasVisited(user) ? user.ip : '–'}</dd>
        <dt>{t('admin.users.registered')}</dt>
        <dd>
          <When at={user.registerTimeUtc} style="exact" />
        </dd>
      </dl>
    </div>
  )
}

interface RoleProps {
  readonly role: Role
  readonly error: string | undefined
  readonly own: boolean
  readonly onChange: (role: Role) => void
}

function RoleField({ role: value, error, own, onChange }: RoleProps) {
  const { t } = useTranslation()
  return (
    <Radio.Group
      className={u.wide}
      label={t('admin.users.role')}
      description={own ? t('admin.users.ownRole') : value === 'Banned' ? t('admin.users.bannedRole') : undefined}
      error={error}
      value={value}
      onChange={(role) => onChange(role as Role)}
    >
      <div className={u.roles}>
        {roles
          .filter((role) => role !== 'Banned')
          .map((role) => (
            <Radio key={role} value={role} label={t(`admin.users.roles.${role}`)} disabled={own || value === 'Banned'} />
          ))}
      </div>
    </Radio.Group>
  )
}
