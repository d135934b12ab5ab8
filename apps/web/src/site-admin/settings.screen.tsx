import { AdminFrame } from './admin-frame.tsx'
import { ContainerSection } from './container-section.tsx'
import { MailSection } from './mail-section.tsx'
import { ProxySection } from './proxy-section.tsx'

/** The settings of the site, one section each. */
export default function SettingsScreen() {
  return (
    <AdminFrame tab="settings">
      <ProxySection />
      <MailSection />
      <ContainerSection />
    </AdminFrame>
  )
}
