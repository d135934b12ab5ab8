/** The form of the settings: its fields, what is wrong with them, and what is sent. */
import type { SiteConfig, SiteConfigChange } from '@vexil/contract/settings'
import { containerLife } from '@vexil/core/limits'
import { isColour } from '../ui/ramp.ts'

/** Fields of the form by their group on the wire. */
const settingGroups = {
  globalConfig: ['title', 'slogan', 'description', 'footerInfo', 'customTheme', 'watermark'],
  accountPolicy: ['allowRegister', 'activeOnRegister', 'emailConfirmationRequired', 'emailDomainList', 'useCaptcha'],
  containerPolicy: [
    'defaultLifetime',
    'extensionDuration',
    'renewalWindow',
    'autoDestroyOnLimitReached',
    'destroyOnSolve',
    'flagVariables',
  ],
} as const

type Groups = typeof settingGroups
type Group = keyof Groups
export type SettingName = Groups[Group][number]

export type Times = 'defaultLifetime' | 'extensionDuration' | 'renewalWindow'
type Texts = 'title' | 'slogan' | 'description' | 'footerInfo' | 'customTheme' | 'emailDomainList' | 'flagVariables'
export type Switches = Exclude<SettingName, Times | Texts>

/** Minutes are a text while they are not a number. */
export type SettingsFields = Readonly<Record<Times, number | string> & Record<Texts, string> & Record<Switches, boolean>>

const groupNames = Object.keys(settingGroups) as Group[]

export const settingsFields = (config: Pick<SiteConfig, Group>): SettingsFields =>
  Object.fromEntries(
    groupNames.flatMap((group) => {
      const values = config[group] as Readonly<Record<string, unknown>>
      return settingGroups[group].map((name) => [name, values[name] ?? ''])
    }),
  ) as SettingsFields

const { lifetimeMin, lifetimeMax, renewalWindowMin, renewalWindowMax } = containerLife

/** Minutes that are taken. */
export const timeRange: Readonly<Record<Times, { readonly min: number; readonly max: number }>> = {
  defaultLifetime: { min: lifetimeMin, max: lifetimeMax },
  extensionDuration: { min: lifetimeMin, max: lifetimeMax },
  renewalWindow: { min: renewalWindowMin, max: renewalWindowMax },
}

export type WrongSetting = Times | 'customTheme' | 'emailDomainList' | 'flagVariables'

const parts = (list: string) =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Fields that hold the saving back, in the order of the form. */
export function wrongSettings(fields: SettingsFields): WrongSetting[] {
  const wrong: WrongSetting[] = []
  const colour = fields.customTheme.trim()
  if (colour !== '' && !isColour(colour)) wrong.push('customTheme')
  if (parts(fields.emailDomainList).some((domain) => !/^[^@\s.]+(\.[^@\s.]+)+$/.test(domain))) wrong.push('emailDomainList')
  for (const name of ['defaultLifetime', 'extensionDuration', 'renewalWindow'] as const) {
    const [value, { min, max }] = [fields[name], timeRange[name]]
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) wrong.push(name)
  }
  if (parts(fields.flagVariables).some((name) => !/^[A-Za-z_]\w*$/.test(name))) wrong.push('flagVariables')
  return wrong
}

/** Only the changed fields, in their groups, so that changes of others are not undone. */
export function settingsBody(fields: SettingsFields, changed: readonly SettingName[]): SiteConfigChange {
  const bodies = groupNames.map((group) => {
    const names = settingGroups[group].filter((name) => changed.includes(name))
    const values = names.map((name) => [name, typeof fields[name] === 'string' ? fields[name].trim() : fields[name]])
    return [group, Object.fromEntries(values)] as const
  })
  return Object.fromEntries(bodies.filter(([, values]) => Object.keys(values).length > 0))
}

/** Settings that have no effect, or a surprising one, beside others or with what the server's environment says (SE-4). */
export type Contradiction =
  | 'registrationClosed'
  | 'verificationIdle'
  | 'verificationWithoutMail'
  | 'activatedByHand'
  | 'captchaWithoutProvider'
  | 'alwaysExtendable'

export function contradictions(fields: SettingsFields, { mail, captcha }: SiteConfig['environment']): Contradiction[] {
  const { allowRegister, activeOnRegister, emailConfirmationRequired, useCaptcha } = fields
  const found: [Contradiction, boolean][] = [
    ['registrationClosed', !allowRegister],
    ['verificationIdle', activeOnRegister && emailConfirmationRequired],
    ['verificationWithoutMail', !activeOnRegister && emailConfirmationRequired && !mail],
    ['activatedByHand', !activeOnRegister && !emailConfirmationRequired],
    ['captchaWithoutProvider', useCaptcha && captcha === 'None'],
    ['alwaysExtendable', Number(fields.renewalWindow) >= Number(fields.defaultLifetime)],
  ]
  return found.filter(([, holds]) => holds).map(([name]) => name)
}
