/** The table of site settings. Wire shapes, stored keys, defaults and the answers of the calls that show settings are read from it. */
import { containerLife, defaultSiteTitle, siteLimits, textLimits } from '@vexil/core/limits'
import * as Type from 'typebox'
import { Int, Nullable, vexil } from './shapes.ts'

type Value = boolean | number | string

export interface Setting<K extends string, V extends Value, R extends Type.TSchema, C extends Type.TSchema | null> {
  /** Under which the value is stored. */
  readonly key: K
  /** Holds while nothing is stored. */
  readonly default: V
  /** `everyone`: GET /api/config shows it; `administrators`: only GET /api/admin/config does. */
  readonly shownTo: 'everyone' | 'administrators'
  /** What GET /api/admin/config answers. */
  readonly shown: R
  /** What PUT /api/admin/config takes; null: set by other calls. */
  readonly taken: C
}

const setting = <const K extends string, V extends Value, R extends Type.TSchema, C extends Type.TSchema | null>(
  key: K,
  value: V,
  shownTo: 'everyone' | 'administrators',
  shown: R,
  taken: C,
): Setting<K, V, R, C> => ({ key, default: value, shownTo, shown, taken })

const Bool = Type.Boolean()
const OurBool = Type.Boolean(vexil)
const Text = Type.String()
const upTo = (maxLength: number) => Type.String({ maxLength })
const Count = Type.Integer({ minimum: 0, maximum: 2147483647 })
const Variables = Type.String({ maxLength: 1000, pattern: '^[A-Za-z0-9_, ]*$' })
const { titleMax, sloganMax, descriptionMax, domainListMax } = siteLimits
const { defaultLifetime, extensionDuration, renewalWindow } = containerLife
const about = 'Vexil is an open platform for capture-the-flag competitions'

/** By group and name on the wire. */
export const siteSettings = {
  accountPolicy: {
    allowRegister: setting('AccountPolicy:AllowRegister', true, 'everyone', Bool, Bool),
    activeOnRegister: setting('AccountPolicy:ActiveOnRegister', true, 'administrators', Bool, Bool),
    useCaptcha: setting('AccountPolicy:UseCaptcha', false, 'administrators', Bool, Bool),
    emailConfirmationRequired: setting('AccountPolicy:EmailConfirmationRequired', false, 'administrators', Bool, Bool),
    emailDomainList: setting('AccountPolicy:EmailDomainList', '', 'administrators', Text, upTo(domainListMax)),
  },
  globalConfig: {
    title: setting('GlobalConfig:Title', defaultSiteTitle, 'everyone', Text, upTo(titleMax)),
    slogan: setting('GlobalConfig:Slogan', 'Raise your flag', 'everyone', Text, upTo(sloganMax)),
    description: setting('GlobalConfig:Description', about, 'administrators', Nullable(Text), upTo(descriptionMax)),
    footerInfo: setting('GlobalConfig:FooterInfo', '', 'everyone', Nullable(Text), upTo(textLimits.footerMax)),
    customTheme: setting('GlobalConfig:CustomTheme', '', 'everyone', Nullable(Text), upTo(7)),
    logoHash: setting('GlobalConfig:LogoHash', '', 'administrators', Nullable(Text), null),
    faviconHash: setting('GlobalConfig:FaviconHash', '', 'administrators', Nullable(Text), null),
    watermark: setting('GlobalConfig:Watermark', false, 'everyone', OurBool, Bool),
  },
  containerPolicy: {
    autoDestroyOnLimitReached: setting('ContainerPolicy:AutoDestroyOnLimitReached', false, 'everyone', Bool, Bool),
    maxExerciseContainerCountPerUser: setting(
      'ContainerPolicy:MaxExerciseContainerCountPerUser',
      1,
      'administrators',
      Int,
      Count,
    ),
    defaultLifetime: setting('ContainerPolicy:DefaultLifetime', defaultLifetime, 'everyone', Int, Int),
    extensionDuration: setting('ContainerPolicy:ExtensionDuration', extensionDuration, 'everyone', Int, Int),
    renewalWindow: setting('ContainerPolicy:RenewalWindow', renewalWindow, 'everyone', Int, Int),
    destroyOnSolve: setting('ContainerPolicy:DestroyOnSolve', false, 'everyone', OurBool, Bool),
    flagVariables: setting('ContainerPolicy:FlagVariables', '', 'administrators', Type.String(vexil), Variables),
  },
}

type Groups = typeof siteSettings
type Row = { [G in keyof Groups]: Groups[G][keyof Groups[G]] }[keyof Groups]
type Widened<V> = V extends boolean ? boolean : V extends number ? number : string

/** Values by stored key. */
export type SettingValues = { [R in Row as R['key']]: Widened<R['default']> }
export type SettingKey = keyof SettingValues

/** The table row by row: group and name on the wire, and the value. */
export const settingRows = Object.entries(siteSettings).flatMap(([group, rows]) =>
  Object.entries<Setting<string, Value, Type.TSchema, Type.TSchema | null>>(rows).map(([name, row]) => ({
    ...row,
    group: group as keyof Groups,
    name,
    key: row.key as SettingKey,
  })),
)

type Rows = Readonly<Record<string, Setting<string, Value, Type.TSchema, Type.TSchema | null>>>

/** Shape of a group as it is answered. */
export const shownGroup = <G extends Rows>(rows: G) =>
  Type.Object(
    Object.fromEntries(Object.entries(rows).map(([name, { shown }]) => [name, shown])) as { [N in keyof G]: G[N]['shown'] },
  )

/** Absent and null both mean unchanged. */
const Maybe = <T extends Type.TSchema>(schema: T) => Type.Optional(Nullable(schema))
type MaybeOf<T extends Type.TSchema> = ReturnType<typeof Maybe<T>>

/** Shape of a group as it is taken. */
export const takenGroup = <G extends Rows>(rows: G) =>
  Maybe(
    Type.Object(
      Object.fromEntries(Object.entries(rows).flatMap(([name, { taken }]) => (taken ? [[name, Maybe(taken)]] : []))) as {
        [N in keyof G as G[N]['taken'] extends Type.TSchema ? N : never]: MaybeOf<Extract<G[N]['taken'], Type.TSchema>>
      },
    ),
  )
