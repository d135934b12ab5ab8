/** Site settings, as administrators edit them. */
import { siteLimits, textLimits } from '@vexil/core/limits'
import * as Type from 'typebox'
import { endpoint } from './endpoint.ts'
import { Int, Nullable } from './shapes.ts'

const { titleMax, sloganMax, descriptionMax, domainListMax } = siteLimits

export const SiteConfig = Type.Object({
  accountPolicy: Type.Object({
    allowRegister: Type.Boolean(),
    activeOnRegister: Type.Boolean(),
    useCaptcha: Type.Boolean(),
    emailConfirmationRequired: Type.Boolean(),
    emailDomainList: Type.String(),
  }),
  globalConfig: Type.Object({
    title: Type.String(),
    slogan: Type.String(),
    description: Nullable(Type.String()),
    footerInfo: Nullable(Type.String()),
    customTheme: Nullable(Type.String()),
    logoHash: Nullable(Type.String()),
    faviconHash: Nullable(Type.String()),
    watermark: Type.Boolean({ description: 'ours' }),
  }),
  containerPolicy: Type.Object({
    autoDestroyOnLimitReached: Type.Boolean(),
    maxExerciseContainerCountPerUser: Int,
    defaultLifetime: Int,
    extensionDuration: Int,
    renewalWindow: Int,
    destroyOnSolve: Type.Boolean({ description: 'ours' }),
    flagVariables: Type.String({ description: 'ours' }),
  }),
  untrustedProxy: Nullable(
    Type.String({ description: 'ours: who sent X-Forwarded-For within the last day without being in TRUSTED_PROXIES' }),
  ),
})
export type SiteConfig = Type.Static<typeof SiteConfig>

export const getSiteConfig = endpoint('GET /api/admin/config', {
  access: 'admin',
  summary: 'All site settings',
  reply: SiteConfig,
})

/** Absent and null both mean unchanged. */
const Maybe = <T extends Type.TSchema>(schema: T) => Type.Optional(Nullable(schema))
const MaybeText = (maxLength: number) => Maybe(Type.String({ maxLength }))

export const SiteConfigChange = Type.Object({
  accountPolicy: Maybe(
    Type.Object({
      allowRegister: Maybe(Type.Boolean()),
      activeOnRegister: Maybe(Type.Boolean()),
      useCaptcha: Maybe(Type.Boolean()),
      emailConfirmationRequired: Maybe(Type.Boolean()),
      emailDomainList: MaybeText(domainListMax),
    }),
  ),
  globalConfig: Maybe(
    Type.Object({
      title: MaybeText(titleMax),
      slogan: MaybeText(sloganMax),
      description: MaybeText(descriptionMax),
      footerInfo: MaybeText(textLimits.footerMax),
      customTheme: MaybeText(7),
      watermark: Maybe(Type.Boolean()),
    }),
  ),
  containerPolicy: Maybe(
    Type.Object({
      autoDestroyOnLimitReached: Maybe(Type.Boolean()),
      maxExerciseContainerCountPerUser: Maybe(Type.Integer({ minimum: 0, maximum: 2147483647 })),
      defaultLifetime: Maybe(Int),
      extensionDuration: Maybe(Int),
      renewalWindow: Maybe(Int),
      destroyOnSolve: Maybe(Type.Boolean()),
      flagVariables: Maybe(Type.String({ maxLength: 1000, pattern: '^[A-Za-z0-9_, ]*$' })),
    }),
  ),
})
export type SiteConfigChange = Type.Static<typeof SiteConfigChange>

export const updateSiteConfig = endpoint('PUT /api/admin/config', {
  access: 'admin',
  summary: 'Change site settings; absent or null leaves a setting as it is',
  body: SiteConfigChange,
  throws: ['site.container_time_out_of_range', 'site.colour_invalid'],
})

export const updateLogo = endpoint('POST /api/admin/config/logo', {
  access: 'admin',
  summary: 'Set logo and favicon from one picture',
  upload: 'file',
  throws: ['file.missing', 'file.empty', 'file.too_large', 'site.logo_failed'],
})

export const deleteLogo = endpoint('DELETE /api/admin/config/logo', {
  access: 'admin',
  summary: 'Back to the built-in logo and favicon',
})
