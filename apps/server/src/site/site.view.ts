import type { LogMessage } from '@vexil/contract/live'
import type { SiteConfig } from '@vexil/contract/settings'
import type { ClientConfig, PostDetail, PostInfo } from '@vexil/contract/site'
import { wireTime } from '@vexil/contract/wire'
import { imageUrl } from '../files/store-image.ts'
import type { SettingValues } from './settings.ts'

export const configView = (values: Readonly<SettingValues>, setupRequired: boolean): ClientConfig => ({
  title: values['GlobalConfig:Title'],
  slogan: values['GlobalConfig:Slogan'],
  footerInfo: values['GlobalConfig:FooterInfo'] || null,
  customTheme: values['GlobalConfig:CustomTheme'] || null,
  logoUrl: imageUrl(values['GlobalConfig:LogoHash'], 'logo'),
  defaultLifetime: values['ContainerPolicy:DefaultLifetime'],
  extensionDuration: values['ContainerPolicy:ExtensionDuration'],
  renewalWindow: values['ContainerPolicy:RenewalWindow'],
  allowRegister: values['AccountPolicy:AllowRegister'],
  watermark: values['GlobalConfig:Watermark'],
  setupRequired,
})

export const siteConfigView = (values: Readonly<SettingValues>, untrustedProxy: string | null): SiteConfig => ({
  untrustedProxy,
  accountPolicy: {
    allowRegister: values['AccountPolicy:AllowRegister'],
    activeOnRegister: values['AccountPolicy:ActiveOnRegister'],
    useCaptcha: values['AccountPolicy:UseCaptcha'],
    emailConfirmationRequired: values['AccountPolicy:EmailConfirmationRequired'],
    emailDomainList: values['AccountPolicy:EmailDomainList'],
  },
  globalConfig: {
    title: values['GlobalConfig:Title'],
    slogan: values['GlobalConfig:Slogan'],
    description: values['GlobalConfig:Description'],
    footerInfo: values['GlobalConfig:FooterInfo'],
    customTheme: values['GlobalConfig:CustomTheme'],
    logoHash: values['GlobalConfig:LogoHash'] || null,
    faviconHash: values['GlobalConfig:FaviconHash'] || null,
    watermark: values['GlobalConfig:Watermark'],
  },
  containerPolicy: {
    autoDestroyOnLimitReached: values['ContainerPolicy:AutoDestroyOnLimitReached'],
    maxExerciseContainerCountPerUser: values['ContainerPolicy:MaxExerciseContainerCountPerUser'],
    defaultLifetime: values['ContainerPolicy:DefaultLifetime'],
    extensionDuration: values['ContainerPolicy:ExtensionDuration'],
    renewalWindow: values['ContainerPolicy:RenewalWindow'],
    destroyOnSolve: values['ContainerPolicy:DestroyOnSolve'],
    flagVariables: values['ContainerPolicy:FlagVariables'],
  },
})

interface PostRow {
  readonly id: string
  readonly title: string
  readonly summary: string
  readonly pinned: boolean
  readonly tags: string[]
  readonly updatedAt: Date
  readonly authorName: string | null
  readonly avatarHash: string | null
}

export const postView = (row: PostRow): PostInfo => ({
  id: row.id,
  title: row.title,
  summary: row.summary,
  isPinned: row.pinned,
  tags: row.tags,
  authorAvatar: imageUrl(row.avatarHash),
  authorName: row.authorName,
  time: wireTime(row.updatedAt),
})

export const postDetailView = (row: PostRow & { readonly content: string }): PostDetail => ({
  ...postView(row),
  content: row.content,
})

interface LogRow {
  readonly time: Date
  readonly name: string
  readonly level: string
  readonly ip: string
  readonly message: string
  readonly status: string
}

export const logView = ({ time, name, level, ip, message, status }: LogRow): LogMessage => ({
  time: wireTime(time),
  name,
  level,
  ip,
  msg: message,
  status,
})
