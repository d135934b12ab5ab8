import { useQuery } from '@tanstack/react-query'
import { QueryView } from '../../ui/base/states.tsx'
import { siteConfigQuery } from '../site-admin.queries.ts'
import { AdminFrame } from '../site-admin-frame.tsx'
import { CaptchaSection } from './captcha-section.tsx'
import { FileSection } from './file-section.tsx'
import { MailSection } from './mail-section.tsx'
import { ProxySection } from './proxy-section.tsx'
import { SectionLinks } from './section-links.tsx'
import { ServerSection } from './server-section.tsx'
import { SettingsForm } from './settings-form.tsx'

export default function SettingsScreen() {
  const query = useQuery(siteConfigQuery)
  return (
    <AdminFrame tab="settings">
      <SectionLinks />
      <ProxySection />
      <QueryView query={query}>
        {(config) => (
          <SettingsForm config={config}>
            <MailSection />
            <CaptchaSection />
            <ServerSection environment={config.environment} />
            <FileSection />
          </SettingsForm>
        )}
      </QueryView>
    </AdminFrame>
  )
}
