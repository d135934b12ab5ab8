import type { SiteConfig, SiteConfigChange } from '@vexil/contract/settings'
import { type FormSettings, type SettingGroup, type SettingRow, settingRows } from '@vexil/contract/site-settings'
import { containerLife } from '@vexil/core/limits'
import { isColour } from '../../ui/base/ramp.ts'

type NamesOf<V> = { [N in keyof FormSettings]: FormSettings[N] extends V ? N : never }[keyof FormSettings]
export type SettingName = keyof FormSettings
export type Times = NamesOf<number>
export type Switches = NamesOf<boolean>

/** Minutes are strings while they are not numbers. */
export type SettingsFields = Readonly<{ [N in SettingName]: FormSettings[N] extends number ? number | string : FormSettings[N] }>

const rows = settingRows.filter(({ options }) => !options.changedBy) as readonly (SettingRow & { readonly name: SettingName })[]

export const settingsFields = (config: Pick<SiteConfig, SettingGroup>): SettingsFields =>
  Object.fromEntries(
    rows.map(({ group, name }) => [name, (config[group] as Readonly<Record<string, unknown>>)[name] ?? '']),
  ) as SettingsFields

const { lifetimeMin, lifetimeMax, renewalWindowMin, renewalWindowMax } = containerLife

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

/** Invalid fields, in the order of the form. */
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

/** Only the changed fields, grouped, so that changes of others are kept. */
export function settingsBody(fields: SettingsFields, changed: readonly SettingName[]): SiteConfigChange {
  const body: { [G in SettingGroup]?: Record<string, unknown> } = {}
  for (const { group, name } of rows.filter((row) => changed.includes(row.name))) {
    const value = fields[name]
    body[group] = { ...body[group], [name]: typeof value === 'string' ? value.trim() : value }
  }
  return body
}

/** Settings that have no effect, or a surprising one, in combination with others or with the environment. */
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
