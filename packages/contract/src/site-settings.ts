/**
 * The table of site settings: stored keys, defaults, limits and who is shown them. Wire shapes (site-setting-schemas.ts), the answers of the calls
 * that show settings and the form are made from it.
 */
import { containerLife, defaultSiteTitle, siteLimits, textLimits } from '@vexil/core/limits'

interface Options {
  /** UTF-16 units of a text. */
  readonly max?: number
  /** The least number, where there is one. */
  readonly min?: number
  readonly pattern?: string
  readonly nullable?: true
  /** GZ::CTF 0.24 does not have it. */
  readonly addition?: true
  /** `call`: changed by a separate call only; `clients`: by PUT /api/admin/config, but not in the form. Absent: in the form. */
  readonly changedBy?: 'call' | 'clients'
}

/** `everyone`: GET /api/config shows it; `administrators`: only GET /api/admin/config does. */
type Audience = 'everyone' | 'administrators'

/** `key`: under which the value is stored; `value` holds while nothing is stored. */
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
const variables = { max: 1000, pattern: '^[A-Za-z0-9_, ]*$', addition: true } as const

/** By group and name on the wire. */
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
/** Values of the settings by name on the wire, with the row of each. */
type Rows = { [G in SettingGroup]: { [N in keyof Groups[G]]: [N, Groups[G][N]] }[keyof Groups[G]] }[SettingGroup]
type RowWith<T> = Rows extends infer R ? (R extends [infer N, T] ? N & string : never) : never

/** Values by stored key. */
export type SettingValues = {
  [R in Rows as R[1]['key']]: Widened<R[1]['default']>
}
export type SettingKey = keyof SettingValues

/** Names of settings that GET /api/config shows. */
export type PublicSetting = RowWith<{ readonly shownTo: 'everyone' }>

/** Values of the settings in the form, by name on the wire. */
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

/** The table row by row. */
export const settingRows: readonly SettingRow[] = Object.entries(siteSettings).flatMap(([group, rows]) =>
  Object.entries(rows).map(([name, row]) => ({ ...row, group: group as SettingGroup, name, key: row.key as SettingKey })),
)
