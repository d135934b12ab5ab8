/** Site settings: rows in the database, cached and read again when their version changes. */
import { type SettingKey, type SettingValues, settingRows } from '@vexil/contract/site-settings'
import { defaultSiteTitle } from '@vexil/core/limits'
import type { Db, Tx } from '../db/transaction.ts'
import type { Versions } from '../db/versions.ts'
import type { Settings, StoredServices } from '../deps.ts'
import { parseServices } from './services.ts'

export type { SettingKey, SettingValues }

export const settingDefaults = Object.fromEntries(settingRows.map((row) => [row.key, row.default])) as SettingValues

function parse(key: SettingKey, text: string): boolean | number | string {
  const fallback = settingDefaults[key]
  if (typeof fallback === 'boolean') return text.toLowerCase() === 'true'
  if (typeof fallback === 'number') return Number.isFinite(Number(text)) ? Number(text) : fallback
  return text
}

const write = (value: boolean | number | string): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value)

interface Stored {
  readonly values: SettingValues
  readonly services: StoredServices
}

async function readStored(db: Db | Tx): Promise<Stored> {
  const values: Record<string, boolean | number | string> = { ...settingDefaults }
  const rows = await db.selectFrom('settings').selectAll().execute()
  for (const { key, value } of rows) if (key in settingDefaults) values[key] = parse(key as SettingKey, value)
  return { values: values as SettingValues, services: parseServices(rows) }
}

export const readSettings = async (db: Db | Tx): Promise<SettingValues> => (await readStored(db)).values

export async function openSettings(db: Db, versions: Pick<Versions, 'onSettings'>): Promise<Settings> {
  let stored = await readStored(db)
  const listeners: (() => void)[] = []
  async function read(): Promise<void> {
    const before = JSON.stringify(stored)
    stored = await readStored(db)
    if (JSON.stringify(stored) !== before) for (const changed of listeners) changed()
  }
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  /** One read at a time; concurrent calls share the next one, which sees all earlier writes. */
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
  versions.onSettings(reload)
  return {
    get: () => stored.values,
    services: () => stored.services,
    reload,
    onChange: (changed) => void listeners.push(changed),
  }
}

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

export const platformName = (values: Readonly<SettingValues>): string =>
  `${values['GlobalConfig:Title'] || defaultSiteTitle}::CTF`
