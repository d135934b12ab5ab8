/** Site settings: rows in the database, kept in memory and read again whenever their version moves. */
import { containerLife, defaultSiteTitle } from '@vexil/core/limits'
import type { Db, Tx } from '../db/transaction.ts'
import type { Versions } from '../db/versions.ts'

/** Every setting by its stored key, with its default. */
export const settingDefaults = {
  'AccountPolicy:AllowRegister': true,
  'AccountPolicy:ActiveOnRegister': true,
  'AccountPolicy:UseCaptcha': false,
  'AccountPolicy:EmailConfirmationRequired': false,
  'AccountPolicy:EmailDomainList': '',
  'GlobalConfig:Title': defaultSiteTitle,
  'GlobalConfig:Slogan': 'Raise your flag',
  'GlobalConfig:Description': 'Vexil is an open platform for capture-the-flag competitions',
  'GlobalConfig:FooterInfo': '',
  'GlobalConfig:CustomTheme': '',
  'GlobalConfig:LogoHash': '',
  'GlobalConfig:FaviconHash': '',
  'GlobalConfig:Watermark': false,
  'ContainerPolicy:AutoDestroyOnLimitReached': false,
  'ContainerPolicy:MaxExerciseContainerCountPerUser': 1,
  'ContainerPolicy:DefaultLifetime': containerLife.defaultLifetime as number,
  'ContainerPolicy:ExtensionDuration': containerLife.extensionDuration as number,
  'ContainerPolicy:RenewalWindow': containerLife.renewalWindow as number,
  'ContainerPolicy:DestroyOnSolve': false,
  'ContainerPolicy:FlagVariables': '',
}
export type SettingValues = typeof settingDefaults
export type SettingKey = keyof SettingValues

export interface Settings {
  /** Current values. No query: they are read again when their version moves. */
  get(): Readonly<SettingValues>
  /** Reads them now, as after a change of our own. */
  reload(): Promise<void>
}

function read(key: SettingKey, text: string): boolean | number | string {
  const fallback = settingDefaults[key]
  if (typeof fallback === 'boolean') return text.toLowerCase() === 'true'
  if (typeof fallback === 'number') return Number.isFinite(Number(text)) ? Number(text) : fallback
  return text
}

const write = (value: boolean | number | string): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value)

/** As they are stored now. */
export async function readSettings(db: Db | Tx): Promise<SettingValues> {
  const values: Record<string, boolean | number | string> = { ...settingDefaults }
  for (const { key, value } of await db.selectFrom('settings').selectAll().execute()) {
    if (key in settingDefaults) values[key] = read(key as SettingKey, value)
  }
  return values as SettingValues
}

export async function openSettings(db: Db, versions: Versions): Promise<Settings> {
  let values = await readSettings(db)
  const reload = async () => {
    values = await readSettings(db)
  }
  versions.onSettings(() => void reload().catch(() => {}))
  return { get: () => values, reload }
}

/** Stores the given values; the rest stays. */
export async function saveSettings(tx: Tx, changes: Partial<SettingValues>): Promise<void> {
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue
    await tx
      .insertInto('settings')
      .values({ key, value: write(value) })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: write(value) }))
      .execute()
  }
}

/** `{title}::CTF` as pages and mails show it. */
export const platformName = (values: Readonly<SettingValues>): string => `${values['GlobalConfig:Title'] || 'Vexil'}::CTF`
