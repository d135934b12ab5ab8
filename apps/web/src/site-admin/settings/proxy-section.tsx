import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { FormSection, Wide } from '../../ui/fields/form-section.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { siteConfigQuery } from '../site-admin.queries.ts'
import c from './mail.module.css'

/** Shown only while an untrusted proxy is in front of the platform. */
export function ProxySection() {
  const { t } = useTranslation()
  const peer = useQuery(siteConfigQuery).data?.untrustedProxy
  if (!peer) return null
  return (
    <FormSection title={t('admin.proxy.title')}>
      <Wide>
        <div className={c.state}>
          <IconAlertTriangle size={20} stroke={1.6} className={c.off} />
          <p>{t('admin.proxy.text', { peer })}</p>
        </div>
      </Wide>
    </FormSection>
  )
}
