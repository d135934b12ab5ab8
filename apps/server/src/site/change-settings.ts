import type { SiteConfigChange } from '@vexil/contract/settings'
import { settingRows } from '@vexil/contract/site-settings'
import { containerLife, themeColour } from '@vexil/core/limits'
import { ContainerTimesOutOfRange, ThemeColourInvalid } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { readSettings, type SettingKey, type SettingValues, saveSettings } from './settings.ts'

/** Stores the settings that differ from the stored ones. Absent and null mean unchanged; an empty text is stored. @throws ContainerTimesOutOfRange, ThemeColourInvalid */
export async function changeSettings(
  deps: Pick<Deps, 'db' | 'bus' | 'log' | 'settings'>,
  by: Actor,
  change: SiteConfigChange,
): Promise<void> {
  const wanted = byKey(change)
  mustBeValid(wanted)
  const changed = await inTransaction(deps.db, async (tx) => {
    const stored = await readSettings(tx)
    const differing = Object.entries(wanted).filter(([key, value]) => stored[key as SettingKey] !== value)
    await saveSettings(tx, Object.fromEntries(differing))
    return differing
  })
  if (changed.length === 0) return
  await deps.settings.reload()
  deps.bus.publish('settings.changed', {})
  const what = changed.map(([key, value]) => `${key} = ${JSON.stringify(value).slice(0, 80)}`).join(', ')
  audit(deps, by, `Changed settings: ${what}`)
}

function byKey(change: SiteConfigChange): Partial<SettingValues> {
  const sent = settingRows.flatMap(({ key, group, name, options }) => {
    const values: Readonly<Record<string, unknown>> = change[group] ?? {}
    return options.changedBy === 'call' ? [] : [[key, values[name]] as const]
  })
  return Object.fromEntries(sent.filter(([, value]) => value !== null && value !== undefined))
}

function mustBeValid(wanted: Partial<SettingValues>): void {
  const { lifetimeMin, lifetimeMax, renewalWindowMin, renewalWindowMax } = containerLife
  mustBeBetween('defaultLifetime', wanted['ContainerPolicy:DefaultLifetime'], lifetimeMin, lifetimeMax)
  mustBeBetween('extensionDuration', wanted['ContainerPolicy:ExtensionDuration'], lifetimeMin, lifetimeMax)
  mustBeBetween('renewalWindow', wanted['ContainerPolicy:RenewalWindow'], renewalWindowMin, renewalWindowMax)
  const colour = wanted['GlobalConfig:CustomTheme']
  if (colour && !themeColour.test(colour)) throw new ThemeColourInvalid()
}

function mustBeBetween(
  name: 'defaultLifetime' | 'extensionDuration' | 'renewalWindow',
  minutes: number | undefined,
  min: number,
  max: number,
): void {
  if (minutes !== undefined && (minutes < min || minutes > max)) throw new ContainerTimesOutOfRange({ name, min, max })
}
