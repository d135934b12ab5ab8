import { Button } from '@mantine/core'
import { changePassword, logout } from '@vexil/contract/accounts'
import { accountLimits } from '@vexil/core/limits'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { useLeave } from '../shell/session.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { toast } from '../ui/toast.tsx'
import { useAction } from '../ui/use-action.ts'
import { Password } from './password.tsx'
import { NewPassword, RetypedPassword } from './password-field.tsx'
import c from './profile.module.css'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

const empty = { old: '', fresh: '', again: '' }

export function PasswordDialog({ opened, onClose }: Props) {
  const { t } = useTranslation()
  const leave = useLeave()
  const [form, setForm] = useState(empty)
  const [wrong, setWrong] = useState<string>()
  const close = () => {
    setForm(empty)
    setWrong(undefined)
    onClose()
  }
  const action = useAction({
    id: 'password',
    done: t('account.passwordChanged'),
    failed: t('account.passwordNotSet'),
    call: async () => call(changePassword, { body: { old: form.old, new: form.fresh } }),
    onDone: async () => {
      close()
      await call(logout).catch(() => {})
      await leave(paths.login())
    },
    onFail: (refusal) => {
      if (refusal.code !== 'account.old_password_wrong') return false
      setWrong(refusal.title)
      return true
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    event.stopPropagation()
    const refuse = (title: string) => toast({ id: 'password', kind: 'bad', title, text: t('ui.checkInput') })
    if (form.old === '' || form.fresh === '') return refuse(t('account.passwordEmpty'))
    const { passwordMin: min } = accountLimits
    if (form.fresh.length < min || form.old.length < min) return refuse(t('account.passwordRule', { min }))
    if (form.fresh !== form.again) return refuse(t('account.differs'))
    void action.start()
  }
  return (
    <Dialog opened={opened} onClose={close} title={t('account.changePassword')} sub={t('account.changePasswordText')}>
      <form className={c.form} onSubmit={submit} noValidate>
        <Password
          data-autofocus
          label={t('account.oldPassword')}
          autoComplete="current-password"
          value={form.old}
          error={wrong}
          disabled={action.busy}
          onChange={(event) => {
            setForm({ ...form, old: event.currentTarget.value })
            setWrong(undefined)
          }}
        />
        <NewPassword value={form.fresh} disabled={action.busy} onChange={(fresh) => setForm({ ...form, fresh })} />
        <RetypedPassword
          original={form.fresh}
          value={form.again}
          disabled={action.busy}
          onChange={(again) => setForm({ ...form, again })}
        />
        <div className={c.left}>
          <ActionButton action={action} type="submit">
            {t('account.changePassword')}
          </ActionButton>
          <Button variant="default" onClick={close}>
            {t('ui.cancel')}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
