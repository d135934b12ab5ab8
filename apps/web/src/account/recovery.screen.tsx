import { TextInput } from '@mantine/core'
import { recovery } from '@vexil/contract/accounts'
import { isEmail } from '@vexil/core/accounts'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { call } from '../api/client.ts'
import { Gate } from '../shell/gate.tsx'
import { paths } from '../shell/paths.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useCaptcha } from './captcha.tsx'
import c from './forms.module.css'

export default function RecoveryScreen() {
  const { t } = useTranslation()
  const captcha = useCaptcha('recovery')
  const [email, setEmail] = useState('')
  const [wrong, setWrong] = useState<string>()
  const [sentTo, setSentTo] = useState<string>()
  const note = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (sentTo !== undefined) note.current?.focus()
  }, [sentTo])

  const action = useAction({
    id: 'account',
    done: t('account.recoverySent'),
    failed: t('account.mailNotSent'),
    call: async (challenge: string | undefined) => call(recovery, { body: { email: email.trim(), challenge } }),
    onDone: () => setSentTo(email.trim()),
  })

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!isEmail(email.trim())) return setWrong(t('account.emailInvalid'))
    await captcha.start(action)
  }

  return (
    <Gate heading={t('account.recovery')}>
      <p ref={note} className={c.note} tabIndex={-1}>
        {sentTo === undefined ? t('account.recoveryText') : t('account.recoverySentTo', { email: sentTo })}
      </p>
      <form onSubmit={submit} noValidate>
        <TextInput
          label={t('account.email')}
          type="email"
          autoComplete="email"
          value={email}
          readOnly={action.busy}
          error={wrong}
          onChange={(event) => {
            setEmail(event.currentTarget.value)
            setWrong(undefined)
          }}
        />
        {captcha.box}
        <ActionButton action={action} type="submit" size="lg">
          {t('account.sendMail')}
        </ActionButton>
        <Link className="link" to={paths.login()}>
          {t('account.backToSignIn')}
        </Link>
      </form>
    </Gate>
  )
}
