import { useState } from 'react'
import { Link } from 'react-router'
import { Gate } from '../shell/gate.tsx'
import { paths } from '../shell/paths.ts'
import { useSite } from '../shell/site.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './forms.module.css'
import { MailSent } from './mail-sent.tsx'
import { RegisterForm, type Registration } from './register-form.tsx'

export default function RegisterScreen() {
  const { t } = useTranslation()
  const { allowRegister } = useSite()
  const [waiting, setWaiting] = useState<Registration>()
  if (allowRegister === false) {
    return (
      <Gate heading={t('account.register')}>
        <p className={c.note}>{t('account.registrationClosed')}</p>
        <Link className="link" to={paths.login()}>
          {t('account.signIn')}
        </Link>
      </Gate>
    )
  }
  if (waiting) {
    return (
      <Gate heading={t('account.mailSent')}>
        <MailSent registration={waiting} />
      </Gate>
    )
  }
  return (
    <Gate heading={t('account.register')}>
      <RegisterForm onMailSent={setWaiting} />
    </Gate>
  )
}
