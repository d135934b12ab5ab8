import { Button, TextInput } from '@mantine/core'
import { accountLimits, teamLimits } from '@vexil/core/limits'
import { type FormEvent, useState } from 'react'
import { FormFoot } from '../../ui/fields/form-foot.tsx'
import mono from '../../ui/fields/mono-input.module.css'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import type { Adding } from './use-add-users.ts'
import { faultsOf, makePassword, type RowFault, type UserColumn, type UserRow } from './user-rows.ts'
import u from './users.module.css'

const longest: Record<UserColumn, number> = {
  userName: accountLimits.userNameMax,
  password: accountLimits.passwordMax,
  email: accountLimits.emailMax,
  realName: accountLimits.realNameMax,
  stdNumber: accountLimits.studentNumberMax,
  phone: accountLimits.phoneMax,
  teamName: teamLimits.nameMax,
}

interface Props {
  readonly row: UserRow
  readonly onRow: (row: UserRow) => void
  readonly adding: Adding
  readonly onAdd: (row: UserRow) => void
  readonly onClose: () => void
}

export function AddOneUser({ row, onRow, adding: { action, refused, forget }, onAdd, onClose }: Props) {
  const { t } = useTranslation()
  const [faults, setFaults] = useState<readonly RowFault[]>([])
  const change = (part: Partial<UserRow>) => {
    onRow({ ...row, ...part })
    setFaults([])
    forget()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const sent = { ...row, userName: row.userName.trim(), email: row.email.trim() }
    const found = faultsOf([sent], false)[0] ?? []
    setFaults(found)
    if (found.length === 0) onAdd(sent)
  }
  const field = (name: UserColumn) => ({
    label: t(`admin.users.columns.${name}`),
    maxLength: longest[name],
    autoComplete: 'off',
    value: row[name],
    error: faults.includes(name) && t(`admin.users.fault.${name}`, { min: accountLimits.passwordMin }),
    onChange: (event: FormEvent<HTMLInputElement>) =>
      change({ [name]: event.currentTarget.value, ...(name === 'password' && { generated: false }) }),
  })
  return (
    <form className={u.add} onSubmit={submit} noValidate>
      <div className={u.pair}>
        <TextInput data-autofocus {...field('userName')} />
        <TextInput type="email" {...field('email')} />
        <TextInput classNames={mono} spellCheck={false} {...field('password')} />
        <Button className={u.make} variant="default" onClick={() => change({ password: makePassword(), generated: true })}>
          {t('admin.users.generate')}
        </Button>
        <TextInput {...field('realName')} />
        <TextInput {...field('stdNumber')} />
        <TextInput type="tel" {...field('phone')} />
        <TextInput description={t('admin.users.teamHelp')} {...field('teamName')} />
      </div>
      {refused && (
        <p className={u.fault} role="alert">
          {refused.reason}
        </p>
      )}
      <FormFoot action={action} onCancel={onClose}>
        {t('admin.users.addOne')}
      </FormFoot>
    </form>
  )
}
