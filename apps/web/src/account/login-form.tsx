import { TextInput } from '@mantine/core'
import { login } from '@vexil/contract/accounts'
import { accountLimits } from '@vexil/core/limits'
import { type FormEvent, useEffect, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import { call } from '../api/client.ts'
import { paths, safeFrom } from '../shell/paths.ts'
import { useSite } from '../shell/site.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useEntered } from './account.queries.ts'
import { useCaptcha } from './captcha.tsx'
import c from './forms.module.css'
import { Password } from './password.tsx'

export function LoginForm() {
  const { t } = useTranslation()
  const { allowRegister } = useSite()
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const from = query.get('from')
  const captcha = useCaptcha('login')
  const entered = useEntered()
  const [userName, setUserName] = useState('')
  const [password, setPassword] = useState('')
  const [wrong, setWrong] = useState<string>()

  const action = useAction<string | undefined>({
    id: 'account',
    failed: t('account.notSignedIn'),
    done: t('account.signedIn'),
    call: (challenge) => call(login, { body: { userName: userName.trim(), password, challenge } }),
    onDone: async () => {
      await entered()
      await navigate(safeFrom(from), { replace: true })
    },
    onFail: (refusal) => {
      setWrong(refusal.title || undefined)
      return refusal.title !== ''
    },
  })

  const queued = useLong(action.busy)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (userName.trim() === '' || password.length < accountLimits.passwordMin) {
      setWrong(`${t('account.credentialsWrong')}. ${t('ui.checkInput')}`)
      return
    }
    await captcha.start(action)
  }

  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label={t('account.nameOrEmail')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        value={userName}
        readOnly={action.busy}
        onChange={(event) => setUserName(event.currentTarget.value)}
      />
      <Password
        label={t('account.password')}
        autoComplete="current-password"
        value={password}
        readOnly={action.busy}
        error={wrong}
        onChange={(event) => {
          setPassword(event.currentTarget.value)
          setWrong(undefined)
        }}
      />
      {captcha.box}
      <ActionButton action={action} type="submit" size="lg">
        {t(queued ? 'account.queued' : 'account.signIn')}
      </ActionButton>
      <span role="status" className="unseen">
        {queued && t('account.queued')}
      </span>
      <div className={c.links}>
        <Link className="link" to={paths.recovery}>
          {t('account.forgot')}
        </Link>
        {allowRegister !== false && (
          <Link className="link" to={paths.register(from ?? undefined)}>
            {t('account.register')}
          </Link>
        )}
      </div>
    </form>
  )
}

/** A password check takes less; a longer call is queued. */
const longMs = 2500

function useLong(busy: boolean): boolean {
  const [long, setLong] = useState(false)
  useEffect(() => {
    if (!busy) return
    const timer = setTimeout(() => setLong(true), longMs)
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [busy])
  return long
}
