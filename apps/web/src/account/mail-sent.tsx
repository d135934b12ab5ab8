import { Button } from '@mantine/core'
import { register } from '@vexil/contract/accounts'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { call } from '../api/client.ts'
import { paths } from '../shell/paths.ts'
import { useAction } from '../ui/use-action.ts'
import { useCaptcha } from './captcha.tsx'
import c from './forms.module.css'
import type { Registration } from './register-form.tsx'

const pause = 60

/** Names the address that was used and sends the mail once more after a minute (REG-4). */
export function MailSent({ registration }: { readonly registration: Registration }) {
  const { t } = useTranslation()
  const captcha = useCaptcha('register')
  const [left, setLeft] = useState(pause)
  useEffect(() => {
    if (left <= 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  const action = useAction<string | undefined>({
    id: 'account',
    working: t('account.sending'),
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
      <Button variant="default" size="lg" loading={action.busy} disabled={wait > 0} onClick={() => void captcha.start(action)}>
        {wait > 0 ? t('ui.againIn', { seconds: wait }) : t('account.sendAgain')}
      </Button>
      <Link className="link" to={paths.login()}>
        {t('account.signIn')}
      </Link>
    </div>
  )
}
