import type { LogMessage } from '@vexil/contract/live'
import type { SiteConfig } from '@vexil/contract/settings'
import type { ClientConfig, PostDetail, PostInfo } from '@vexil/contract/site'
import { type PublicSetting, type SettingValues, settingRows } from '@vexil/contract/site-settings'
import { wireTime } from '@vexil/contract/wire'
import type { Deps } from '../deps.ts'
import { imageUrl } from '../files/store-image.ts'

export function configView(
  values: Readonly<SettingValues>,
  more: Pick<ClientConfig, 'setupRequired' | 'containers' | 'instanceHosts' | 'isDemo'>,
): ClientConfig {
  const shown = settingRows.filter(({ shownTo }) => shownTo === 'everyone').map(({ name, key }) => [name, values[key]])
  // A type error here means that a public setting is missing.
  const config = Object.fromEntries(shown) as Pick<ClientConfig, PublicSetting>
  return {
    ...config,
    footerInfo: config.footerInfo || null,
    customTheme: config.customTheme || null,
    logoUrl: imageUrl(values['GlobalConfig:LogoHash'], 'logo'),
    ...more,
  }
}

/** Configuration from the environment for administrators, without secrets and addresses of services. */
export const environmentView = ({
  config,
  captcha,
  engine,
  mailer,
}: Pick<Deps, 'config' | 'captcha' | 'engine' | 'mailer'>): SiteConfig['environment'] => ({
  publicUrl: config.publicUrl,
  captcha: captcha.provider,
  mail: mailer.configured,
  containers: engine.kind,
  database: config.databaseUrl === null ? 'embedded' : 'outside',
  files: config.s3Bucket === null ? 'folder' : 'bucket',
})

type Beside = Pick<SiteConfig, 'untrustedProxy' | 'environment'>

export function siteConfigView(values: Readonly<SettingValues>, beside: Beside): SiteConfig {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const { group, name, key } of settingRows) groups[group] = { ...groups[group], [name]: values[key] }
  const config = groups as Omit<SiteConfig, keyof Beside>
  const { logoHash, faviconHash } = config.globalConfig
  return {
    ...config,
    globalConfig: { ...config.globalConfig, logoHash: logoHash || null, faviconHash: faviconHash || null },
    ...beside,
  }
}

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
  readonly requestId: string | null
}

export const logView = ({ time, name, level, ip, message, status, requestId }: LogRow): LogMessage => ({
  time: wireTime(time),
  name,
  level,
  ip,
  msg: message,
  status,
  requestId,
})
