import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLocation } from 'react-router'
import { QueryView } from '../../ui/base/states.tsx'
import { servicesQuery, siteConfigQuery } from '../site-admin.queries.ts'
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
            <ScrollToSection />
          </SettingsForm>
        )}
      </QueryView>
    </AdminFrame>
  )
}

/** Scrolls to the section of the address: the browser itself would look for it before the settings are loaded. */
function ScrollToSection() {
  const { hash } = useLocation()
  const { isFetched } = useQuery(servicesQuery)
  useEffect(() => {
    if (hash !== '' && isFetched) document.getElementById(hash.slice(1))?.scrollIntoView()
  }, [hash, isFetched])
  return null
}
