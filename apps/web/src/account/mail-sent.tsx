import { register } from '@vexil/contract/accounts'
import { useEffect, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { useAction } from '../ui/base/use-action.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useCaptcha } from './captcha.tsx'
import c from './forms.module.css'
import type { Registration } from './register-form.tsx'

const pause = 60

/** Shows the address and resends the mail after a minute. */
export function MailSent({ registration }: { readonly registration: Registration }) {
  const { t } = useTranslation()
  const [query] = useSearchParams()
  const captcha = useCaptcha('register')
  const [left, setLeft] = useState(pause)
  // The button of the form no longer exists.
  useEffect(() => document.getElementById('content')?.focus({ preventScroll: true }), [])
  useEffect(() => {
    if (left <= 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  const action = useAction<string | undefined>({
    id: 'account',
    done: t('account.mailSent'),
    call: (challenge) =>
      call(register, {
        body: { email: registration.email, userName: registration.userName, password: registration.password, challenge },
      }),
    onDone: () => setLeft(pause),
  })
  const wait = Math.max(left, action.wait)
  return (
    <div className={c.stack}>
      <p className="dim">{t('account.mailSentTo', { email: registration.email })}</p>
      {captcha.box}
      <ActionButton variant="default" size="lg" action={{ busy: action.busy, wait }} onClick={() => void captcha.start(action)}>
        {t('account.sendAgain')}
      </ActionButton>
      <Link className="link" to={paths.login(query.get('from') ?? undefined)}>
        {t('account.signIn')}
      </Link>
    </div>
  )
}
