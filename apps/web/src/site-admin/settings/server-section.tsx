import type { SiteConfig } from '@vexil/contract/settings'
import { useSite } from '../../shell/site.ts'
import { FormSection, Wide } from '../../ui/fields/form-section.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './settings.module.css'

export function ServerSection({ environment }: { readonly environment: SiteConfig['environment'] }) {
  const { t } = useTranslation()
  const { containers: ports } = useSite()
  const { publicUrl, captcha, mail, containers, database, files } = environment
  const rows: readonly (readonly [variable: string, value: string])[] = [
    ['PUBLIC_URL', publicUrl],
    ['VEXIL_MAIL_HOST', t(mail ? 'admin.server.mailOn' : 'admin.server.mailOff')],
    ['VEXIL_CAPTCHA_PROVIDER', captcha === 'None' ? t('admin.server.captchaOff') : captcha],
    ['VEXIL_CONTAINER_PROVIDER', containers === 'None' ? t('admin.server.containersOff') : containers],
    ...(ports && ports !== 'None' ? [['VEXIL_CONTAINER_PORTS', t(`admin.server.ports.${ports}`)] as const] : []),
    ['DATABASE_URL', t(`admin.server.database.${database}`)],
    ['VEXIL_S3_BUCKET', t(`admin.server.files.${files}`)],
  ]
  return (
    <FormSection id="server" title={t('admin.server.title')} help={t('admin.server.help')}>
      <Wide>
        <details>
          <summary className={c.summary}>{t('admin.server.show')}</summary>
          <dl className={c.environment}>
            {rows.map(([variable, value]) => (
              <div key={variable}>
                <dt className="mono">{variable}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      </Wide>
    </FormSection>
  )
}
