import { useSearchParams } from 'react-router'
import { Gate } from '../shell/gate.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './forms.module.css'
import { SetupForm } from './setup-form.tsx'

/** Target of the one-time link of the first start. Without the link it explains what is missing. */
export default function SetupScreen() {
  const { t } = useTranslation()
  const [query] = useSearchParams()
  const token = query.get('token')
  if (!token) {
    return (
      <Gate unnamed lead={t('setup.notYetLead')} heading={t('setup.notYet')}>
        <p className={c.note}>{t('setup.notYetText')}</p>
        <p className={c.note}>{t('setup.notYetHow')}</p>
      </Gate>
    )
  }
  return (
    <Gate unnamed wide lead={t('setup.lead')} text={t('setup.text')} heading={t('setup.title')}>
      <SetupForm token={token} />
    </Gate>
  )
}
