import { Gate } from '../shell/gate.tsx'
import { useTitle } from '../shell/site.ts'
import { useTranslation } from '../ui/texts.tsx'
import { LoginForm } from './login-form.tsx'
import { RunningLine } from './running-line.tsx'

export default function LoginScreen() {
  const { t } = useTranslation()
  useTitle(t('account.signIn'))
  return (
    <Gate heading={t('account.signIn')} text={<RunningLine />}>
      <LoginForm />
    </Gate>
  )
}
