import { captchaProviders } from '@vexil/core/vocabulary'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { Nullable, OneOf, vexil } from './shapes.ts'
import { shownGroup, takenGroup } from './site-setting-schemas.ts'

const Environment = Type.Object(
  {
    publicUrl: Type.String(),
    captcha: OneOf(captchaProviders),
    mail: Type.Boolean(),
    containers: Type.String(),
    database: OneOf(['embedded', 'outside']),
    files: OneOf(['folder', 'bucket']),
  },
  vexil,
)

export const SiteConfig = Type.Object({
  accountPolicy: shownGroup('accountPolicy'),
  globalConfig: shownGroup('globalConfig'),
  containerPolicy: shownGroup('containerPolicy'),
  untrustedProxy: Nullable(Type.String(vexil)),
  environment: Environment,
})
export type SiteConfig = Type.Static<typeof SiteConfig>

export const getSiteConfig = endpoint('GET /api/admin/config', {
  access: 'admin',
  summary: 'Get the site settings',
  reply: SiteConfig,
})

export const SiteConfigChange = Type.Object({
  accountPolicy: takenGroup('accountPolicy'),
  globalConfig: takenGroup('globalConfig'),
  containerPolicy: takenGroup('containerPolicy'),
})
export type SiteConfigChange = Type.Static<typeof SiteConfigChange>

export const updateSiteConfig = endpoint('PUT /api/admin/config', {
  access: 'admin',
  summary: 'Update site settings',
  body: SiteConfigChange,
  throws: ['site.container_time_out_of_range', 'site.colour_invalid'],
})

export const updateLogo = endpoint('POST /api/admin/config/logo', {
  access: 'admin',
  summary: 'Set logo and favicon',
  upload: 'file',
  throws: ['file.missing', 'file.empty', 'file.too_large', 'site.logo_failed', 'file.disk_full'],
})

export const deleteLogo = endpoint('DELETE /api/admin/config/logo', {
  access: 'admin',
  summary: 'Reset logo and favicon',
})
