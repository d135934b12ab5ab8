/** Site settings: stored keys, defaults, limits and audience. The shapes (site-setting-schemas.ts), the responses and the form are generated from this table. */
import { containerLife, defaultSiteTitle, siteLimits, textLimits } from '@vexil/core/limits'

interface Options {
  /** UTF-16 units of a text. */
  readonly max?: number
  readonly min?: number
  readonly pattern?: string
  readonly nullable?: true
  /** Not in GZ::CTF 0.24. */
  readonly addition?: true
  /** `call`: changed by a separate call only; `clients`: by PUT /api/admin/config, but not in the form. Absent: in the form. */
  readonly changedBy?: 'call' | 'clients'
}

/** `everyone`: in GET /api/config; `administrators`: only in GET /api/admin/config. */
type Audience = 'everyone' | 'administrators'

/** `key`: of the stored value; `value`: default. */
const setting = <const K extends string, V extends boolean | number | string, A extends Audience, const O extends Options>(
  key: K,
  value: V,
  shownTo: A,
  options: O,
): { readonly key: K; readonly default: V; readonly shownTo: A; readonly options: O } => ({
  key,
  default: value,
  shownTo,
  options,
})

const { titleMax, sloganMax, descriptionMax, domainListMax } = siteLimits
const { defaultLifetime, extensionDuration, renewalWindow } = containerLife
const about = 'Vexil is an open platform for capture-the-flag competitions'
const ours = { addition: true } as const
const hash = { nullable: true, changedBy: 'call' } as const
/** Names separated by commas; some of them may be empty. */
const variables = { max: 1000, pattern: '^ *([A-Za-z_]\\w* *)?(, *([A-Za-z_]\\w* *)?)*$', addition: true } as const

export const siteSettings = {
  globalConfig: {
    title: setting('GlobalConfig:Title', defaultSiteTitle, 'everyone', { max: titleMax }),
    slogan: setting('GlobalConfig:Slogan', 'Raise your flag', 'everyone', { max: sloganMax }),
    description: setting('GlobalConfig:Description', about, 'administrators', { max: descriptionMax, nullable: true }),
    footerInfo: setting('GlobalConfig:FooterInfo', '', 'everyone', { max: textLimits.footerMax, nullable: true }),
    customTheme: setting('GlobalConfig:CustomTheme', '', 'everyone', { max: 7, nullable: true }),
    logoHash: setting('GlobalConfig:LogoHash', '', 'administrators', hash),
    faviconHash: setting('GlobalConfig:FaviconHash', '', 'administrators', hash),
    watermark: setting('GlobalConfig:Watermark', false, 'everyone', ours),
  },
  accountPolicy: {
    allowRegister: setting('AccountPolicy:AllowRegister', true, 'everyone', {}),
    activeOnRegister: setting('AccountPolicy:ActiveOnRegister', true, 'administrators', {}),
    emailConfirmationRequired: setting('AccountPolicy:EmailConfirmationRequired', false, 'administrators', {}),
    emailDomainList: setting('AccountPolicy:EmailDomainList', '', 'administrators', { max: domainListMax }),
    useCaptcha: setting('AccountPolicy:UseCaptcha', false, 'administrators', {}),
  },
  containerPolicy: {
    defaultLifetime: setting('ContainerPolicy:DefaultLifetime', defaultLifetime, 'everyone', {}),
    extensionDuration: setting('ContainerPolicy:ExtensionDuration', extensionDuration, 'everyone', {}),
    renewalWindow: setting('ContainerPolicy:RenewalWindow', renewalWindow, 'everyone', {}),
    autoDestroyOnLimitReached: setting('ContainerPolicy:AutoDestroyOnLimitReached', false, 'everyone', {}),
    destroyOnSolve: setting('ContainerPolicy:DestroyOnSolve', false, 'everyone', ours),
    flagVariables: setting('ContainerPolicy:FlagVariables', '', 'administrators', variables),
    maxExerciseContainerCountPerUser: setting('ContainerPolicy:MaxExerciseContainerCountPerUser', 1, 'administrators', {
      min: 0,
      changedBy: 'clients',
    }),
  },
}

type Groups = typeof siteSettings
export type SettingGroup = keyof Groups
type Widened<V> = V extends boolean ? boolean : V extends number ? number : string
type Rows = { [G in SettingGroup]: { [N in keyof Groups[G]]: [N, Groups[G][N]] }[keyof Groups[G]] }[SettingGroup]
type RowWith<T> = Rows extends infer R ? (R extends [infer N, T] ? N & string : never) : never

export type SettingValues = {
  [R in Rows as R[1]['key']]: Widened<R[1]['default']>
}
export type SettingKey = keyof SettingValues

export type PublicSetting = RowWith<{ readonly shownTo: 'everyone' }>

/** Values of the settings in the form, by name in the API. */
export type FormSettings = {
  [R in Rows as R[1]['options'] extends { changedBy: string } ? never : R[0] & string]: Widened<R[1]['default']>
}

export interface SettingRow {
  readonly group: SettingGroup
  readonly name: string
  readonly key: SettingKey
  readonly default: boolean | number | string
  readonly shownTo: Audience
  readonly options: Options
}

export const settingRows: readonly SettingRow[] = Object.entries(siteSettings).flatMap(([group, rows]) =>
  Object.entries(rows).map(([name, row]) => ({ ...row, group: group as SettingGroup, name, key: row.key as SettingKey })),
)
