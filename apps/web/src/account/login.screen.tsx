import { Gate } from '../shell/gate.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { LoginForm } from './login-form.tsx'
import { RunningLine } from './running-line.tsx'

export default function LoginScreen() {
  const { t } = useTranslation()
  return (
    <Gate heading={t('account.signIn')} text={<RunningLine />}>
      <LoginForm />
    </Gate>
  )
}
