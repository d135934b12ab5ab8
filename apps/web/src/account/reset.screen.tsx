import { passwordReset } from '@vexil/contract/accounts'
import { accountLimits } from '@vexil/core/limits'
import { type FormEvent, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { call } from '../api/client.ts'
import { Gate } from '../shell/gate.tsx'
import { paths } from '../shell/paths.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './forms.module.css'
import { NewPassword, RetypedPassword } from './password-field.tsx'

export default function ResetScreen() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const [token, email] = [query.get('token'), query.get('email')]
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [wrong, setWrong] = useState<{ readonly password?: string; readonly again?: string }>({})
  const [refused, setRefused] = useState(false)

  const action = useAction({
    id: 'account',
    done: t('account.passwordSet'),
    failed: t('account.passwordNotSet'),
    call: async () => call(passwordReset, { body: { password, email: email ?? '', rToken: token ?? '' } }),
    onDone: () => navigate(paths.login()),
    onFail: () => {
      setRefused(true)
      return undefined
    },
  })

  const change = (set: (text: string) => void) => (text: string) => {
    set(text)
    setWrong({})
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { passwordMin: min } = accountLimits
    if (password.length < min) return setWrong({ password: t('account.passwordRule', { min }) })
    if (password !== again) return setWrong({ again: t('account.differs') })
    void action.start()
  }

  if (!token || !email) {
    return (
      <Gate heading={t('account.reset')}>
        <p className={c.note}>{t('account.linkIncomplete')}</p>
        <Link className="link" to={paths.recovery}>
          {t('account.recovery')}
        </Link>
      </Gate>
    )
  }
  return (
    <Gate heading={t('account.reset')}>
      <form onSubmit={submit} noValidate>
        <NewPassword value={password} error={wrong.password} readOnly={action.busy} onChange={change(setPassword)} />
        <RetypedPassword
          original={password}
          value={again}
          error={wrong.again}
          readOnly={action.busy}
          onChange={change(setAgain)}
        />
        <ActionButton action={action} type="submit" size="lg">
          {t('account.setPassword')}
        </ActionButton>
        {refused && (
          <Link className="link" to={paths.recovery}>
            {t('account.requestNewLink')}
          </Link>
        )}
      </form>
    </Gate>
  )
}
