import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { changeEmail } from '@vexil/contract/accounts'
import { isEmail } from '@vexil/core/accounts'
import { type FormEvent, useState } from 'react'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { useAction, useErrorText } from '../ui/base/use-action.ts'
import { FormFoot } from '../ui/fields/form-foot.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { Password } from './password.tsx'
import c from './profile.module.css'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

/** Closing the dialog discards the form with its input. */
export function EmailDialog({ opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Dialog opened={opened} onClose={onClose} title={t('account.changeEmail')}>
      <EmailForm onClose={onClose} />
    </Dialog>
  )
}

function EmailForm({ onClose }: Pick<Props, 'onClose'>) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [wrong, setWrong] = useState<{ readonly field: 'email' | 'password'; readonly text: string }>()
  const action = useAction({
    id: 'email',
    call: async () => call(changeEmail, { body: { newMail: email.trim(), password } }),
    done: (reply) => (reply.data ? t('account.mailSent') : t('account.emailChanged')),
    onDone: async () => {
      await queries.invalidateQueries({ queryKey: keys.profile })
      onClose()
    },
    onFail: (refusal) => {
      const field = refusal.code === 'account.old_password_wrong' ? 'password' : 'email'
      setWrong({ field, text: errorText(refusal) })
      return true
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isEmail(email.trim())) return setWrong({ field: 'email', text: t('account.emailInvalid') })
    if (password === '') return setWrong({ field: 'password', text: t('account.passwordEmpty') })
    void action.start()
  }
  return (
    <form className={c.form} onSubmit={submit} noValidate>
      <p className="dim">{t('account.changeEmailText')}</p>
      <TextInput
        data-autofocus
        label={t('account.newEmail')}
        type="email"
        autoComplete="email"
        value={email}
        error={wrong?.field === 'email' && wrong.text}
        readOnly={action.busy}
        onChange={(event) => {
          setEmail(event.currentTarget.value)
          setWrong(undefined)
        }}
      />
      <Password
        label={t('account.currentPassword')}
        autoComplete="current-password"
        value={password}
        error={wrong?.field === 'password' && wrong.text}
        readOnly={action.busy}
        onChange={(event) => {
          setPassword(event.currentTarget.value)
          setWrong(undefined)
        }}
      />
      <FormFoot action={action} onCancel={onClose}>
        {t('account.sendMail')}
      </FormFoot>
    </form>
  )
}
