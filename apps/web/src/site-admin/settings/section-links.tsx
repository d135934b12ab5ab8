import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './settings.module.css'

export function SectionLinks() {
  const { t } = useTranslation()
  const sections = {
    platform: t('admin.settings.platform'),
    accounts: t('admin.settings.accounts'),
    containers: t('admin.settings.containers'),
    mail: t('admin.mail.title'),
    captcha: t('admin.captcha.title'),
    server: t('admin.server.title'),
    files: t('admin.files.title'),
  }
  return (
    <nav className={c.sections} aria-label={t('admin.settings.sections')}>
      {Object.entries(sections).map(([id, name]) => (
        <a key={id} href={`#${id}`}>
          {name}
        </a>
      ))}
    </nav>
  )
}
