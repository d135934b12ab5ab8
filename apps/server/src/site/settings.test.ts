/** How settings are read again: one read at a time, the latest one counts, and listeners are called only for changed values. */
import { expect, test } from 'vitest'
import type { Config } from '../config.ts'
import type { Db } from '../db/transaction.ts'
import type { Versions } from '../db/versions.ts'
import type { Deps } from '../deps.ts'
import { servicesView } from './services.ts'
import { openSettings, platformName, readSettings, settingDefaults } from './settings.ts'
import { environmentView } from './site.view.ts'

type Row = { key: string; value: string }

/** A table whose reads end on demand; a read returns what is stored when it begins. */
function aTable() {
  let stored = 'first'
  const readings: (() => void)[] = []
  const execute = () =>
    new Promise<Row[]>((done) => {
      const rows = [{ key: 'GlobalConfig:Title', value: stored }]
      readings.push(() => done(rows))
    })
  const db = { selectFrom: () => ({ selectAll: () => ({ execute }) }) } as unknown as Db
  return {
    db,
    readings,
    store: (value: string) => {
      stored = value
    },
  }
}

const semaphore = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

async function opened() {
  const table = aTable()
  const received: (() => void)[] = []
  const versions = { onSettings: (hear: () => void) => void received.push(hear) } as unknown as Versions
  const opening = openSettings(table.db, versions)
  table.readings[0]?.()
  const settings = await opening
  const titles: string[] = []
  settings.onChange(() => titles.push(settings.get()['GlobalConfig:Title']))
  return { ...table, settings, titles, moved: () => received.map((hear) => hear()) }
}

test('concurrent reloads are one read now and one more for all others', async () => {
  const { settings, readings, store, titles, moved } = await opened()
  store('second')
  const done = [settings.reload(), settings.reload()]
  moved()
  await semaphore()
  expect(readings).toHaveLength(2)
  store('third')
  done.push(settings.reload(), settings.reload())
  moved()
  readings[1]?.()
  await semaphore()
  expect([readings.length, settings.get()['GlobalConfig:Title']]).toEqual([3, 'second'])
  readings[2]?.()
  await Promise.all(done)
  expect([readings.length, settings.get()['GlobalConfig:Title']]).toEqual([3, 'third'])
  expect(titles).toEqual(['second', 'third'])
})

test('listeners are called once each, only for changed values', async () => {
  const { readings, store, titles, moved } = await opened()
  moved()
  await semaphore()
  readings[1]?.()
  await semaphore()
  expect(titles).toEqual([])
  store('second')
  moved()
  await semaphore()
  readings[2]?.()
  await semaphore()
  expect(titles).toEqual(['second'])
})

test('P9.4 the platform is named by its title, and without one by the product', () => {
  const named = (title: string) => platformName({ ...settingDefaults, 'GlobalConfig:Title': title })
  expect([platformName(settingDefaults), named('Cup'), named('')]).toEqual(['GZ::CTF', 'Cup::CTF', 'GZ::CTF'])
})

test('a stored value is parsed by its type; an invalid or unknown one is ignored', async () => {
  const read = (key: string, value: string) => {
    const execute = async () => [{ key, value }]
    return readSettings({ selectFrom: () => ({ selectAll: () => ({ execute }) }) } as unknown as Db)
  }
  const of = async (key: keyof typeof settingDefaults, value: string) => (await read(key, value))[key]
  expect(await of('GlobalConfig:Watermark', 'True')).toBe(true)
  expect(await of('GlobalConfig:Watermark', 'TRUE')).toBe(true)
  expect(await of('AccountPolicy:AllowRegister', 'False')).toBe(false)
  expect(await of('AccountPolicy:AllowRegister', 'perhaps')).toBe(false)
  expect(await of('ContainerPolicy:DefaultLifetime', '7')).toBe(7)
  for (const wrong of ['soon', 'Infinity', 'NaN']) expect(await of('ContainerPolicy:DefaultLifetime', wrong)).toBe(120)
  expect(await of('GlobalConfig:Title', 'true')).toBe('true')
  expect(await of('GlobalConfig:Title', '7')).toBe('7')
  expect(await read('GlobalConfig:Unknown', 'x')).toEqual(settingDefaults)
})

test('a failed read is thrown to its caller and to the poll of the versions; the values stay, and the next read runs', async () => {
  let fails = false
  let stored = 'first'
  const execute = async () => {
    if (fails) throw new Error('unreachable')
    return [{ key: 'GlobalConfig:Title', value: stored }]
  }
  const db = { selectFrom: () => ({ selectAll: () => ({ execute }) }) } as unknown as Db
  const received: (() => Promise<void>)[] = []
  const settings = await openSettings(db, { onSettings: (hear) => void received.push(hear) })
  fails = true
  await expect(received[0]?.()).rejects.toThrow('unreachable')
  await expect(settings.reload()).rejects.toThrow('unreachable')
  expect(settings.get()['GlobalConfig:Title']).toBe('first')
  fails = false
  stored = 'second'
  await settings.reload()
  expect(settings.get()['GlobalConfig:Title']).toBe('second')
})

test('administrators see where data and files are, and whether the mail server of the environment has a password', () => {
  const places = (config: Partial<Config>) => {
    const { database, files } = environmentView({ config, captcha: {}, engine: {}, mailer: {} } as unknown as Deps)
    return [database, files]
  }
  expect(places({ databaseUrl: null, s3Bucket: null })).toEqual(['embedded', 'folder'])
  expect(places({ databaseUrl: 'postgres://db', s3Bucket: null })).toEqual(['outside', 'folder'])
  expect(places({ databaseUrl: null, s3Bucket: 'vexil' })).toEqual(['embedded', 'bucket'])
  const mail = (config: Partial<Config>) => {
    const { passwordSet, ignoreCertificate } = servicesView({ mailHost: 'mail', captchaProvider: 'None', ...config } as Config, {
      mail: null,
      captcha: null,
    }).mail
    return { passwordSet, ignoreCertificate }
  }
  for (const ignores of [true, false])
    for (const mailPassword of ['secret', null])
      expect(mail({ mailPassword, mailIgnoreCertificate: ignores })).toEqual({
        passwordSet: mailPassword !== null,
        ignoreCertificate: ignores,
      })
})
