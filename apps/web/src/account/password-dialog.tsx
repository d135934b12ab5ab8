import { changePassword, logout } from '@vexil/contract/accounts'
import { accountLimits } from '@vexil/core/limits'
import { type FormEvent, useState } from 'react'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { useConfirmSignOut, useLeave } from '../shell/session.ts'
import { useAction } from '../ui/base/use-action.ts'
import { FormFoot } from '../ui/fields/form-foot.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { Password } from './password.tsx'
import { NewPassword, RetypedPassword } from './password-field.tsx'
import c from './profile.module.css'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

type Wrong = Partial<Record<'old' | 'fresh' | 'again', string | undefined>>

/** Closing the dialog discards the form with its input. */
export function PasswordDialog({ opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Dialog opened={opened} onClose={onClose} title={t('account.changePassword')} sub={t('account.changePasswordText')}>
      <PasswordForm onClose={onClose} />
    </Dialog>
  )
}

function PasswordForm({ onClose }: Pick<Props, 'onClose'>) {
  const { t } = useTranslation()
  const leave = useLeave()
  const maySignOut = useConfirmSignOut()
  const [form, setForm] = useState({ old: '', fresh: '', again: '' })
  const [wrong, setWrong] = useState<Wrong>({})
  const change = (part: Partial<typeof form>) => {
    setForm({ ...form, ...part })
    setWrong({})
  }
  const action = useAction({
    id: 'password',
    done: t('account.passwordChanged'),
    failed: t('account.passwordNotSet'),
    call: async () => call(changePassword, { body: { old: form.old, new: form.fresh } }),
    onDone: async () => {
      onClose()
      await call(logout).catch(() => {})
      await leave(paths.login())
    },
    onFail: (refusal) => {
      if (refusal.code !== 'account.old_password_wrong') return false
      setWrong({ old: refusal.title })
      return true
    },
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { passwordMin: min } = accountLimits
    const rule = (password: string) =>
      password === '' ? t('account.passwordEmpty') : password.length < min ? t('account.passwordRule', { min }) : undefined
    const found: Wrong = {
      old: rule(form.old),
      fresh: rule(form.fresh),
      again: form.fresh === form.again ? undefined : t('account.differs'),
    }
    if (Object.values(found).some(Boolean)) return setWrong(found)
    // The change signs out, and the profile behind this dialog may have unsaved changes.
    if (await maySignOut()) await action.start()
  }
  return (
    <form className={c.form} onSubmit={(event) => void submit(event)} noValidate>
      <Password
        data-autofocus
        label={t('account.oldPassword')}
        autoComplete="current-password"
        value={form.old}
        error={wrong.old}
        readOnly={action.busy}
        onChange={(event) => change({ old: event.currentTarget.value })}
      />
      <NewPassword value={form.fresh} error={wrong.fresh} readOnly={action.busy} onChange={(fresh) => change({ fresh })} />
      <RetypedPassword
        original={form.fresh}
        value={form.again}
        readOnly={action.busy}
        error={wrong.again}
        onChange={(again) => change({ again })}
      />
      <FormFoot action={action} onCancel={onClose}>
        {t('account.changePassword')}
      </FormFoot>
    </form>
  )
}
