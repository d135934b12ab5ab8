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
  /** Reads them now, as after a change of our own. Readings never overtake each other: what was read later holds. */
  reload(): Promise<void>
  /** Called after other values were read than were held before. */
  onChange(changed: () => void): void
}

function parse(key: SettingKey, text: string): boolean | number | string {
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
    if (key in settingDefaults) values[key] = parse(key as SettingKey, value)
  }
  return values as SettingValues
}

export async function openSettings(db: Db, versions: Versions, report: (error: unknown) => void): Promise<Settings> {
  let values = await readSettings(db)
  const listeners: (() => void)[] = []
  async function read(): Promise<void> {
    const before = JSON.stringify(values)
    values = await readSettings(db)
    if (JSON.stringify(values) !== before) for (const changed of listeners) changed()
  }
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  /** One reading at a time; whoever comes while one runs shares the one after it, which sees what was written before the call. */
  function reload(): Promise<void> {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null
        running = read()
        return running
      })
    return next
  }
  versions.onSettings(() => void reload().catch(report))
  return { get: () => values, reload, onChange: (changed) => void listeners.push(changed) }
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
