import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, type TestDatabase } from '../test/database.ts'
import { openSecrets } from './secrets.ts'
import { StartError } from './start-error.ts'

let database: TestDatabase
const folders: string[] = []
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true })
  await database.drop()
})

const aFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-secrets-'))
  folders.push(folder)
  return folder
}
const keyIn = (folder: string) => join(folder, 'secret-key')

test('the key of the first start is kept: another one, or none, is refused', async () => {
  const open = (secretKey: string | null, dataDir: string) => openSecrets({ secretKey, dataDir }, database.db)
  const refusal = async (secretKey: string | null, dataDir: string) => {
    const error = await open(secretKey, dataDir).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(StartError)
    return (error as StartError).message
  }
  const [first, second] = [aFolder(), aFolder()]
  const sealed = (await open(null, first)).seal('name', 'text')
  const key = readFileSync(keyIn(first), 'utf8').trim()
  expect(statSync(keyIn(first)).mode & 0o777).toBe(0o600)
  const another = 'another key of 32 characters ....'
  for (const _ of [0, 1]) {
    expect(await refusal(another, second)).toBe('This SECRET_KEY is not the one that the database was created with.')
  }
  expect(await refusal(null, second)).toMatch(
    /^The SECRET_KEY that the database was created with is missing: set it, or restore /,
  )
  const third = aFolder()
  writeFileSync(keyIn(third), '\n')
  for (const given of [null, key])
    expect(await refusal(given, third)).toMatch(
      /^The key file .+secret-key is empty: restore it, or delete it if the platform has not run yet\.$/,
    )
  expect(await refusal(another, first)).toMatch(/^SECRET_KEY and the key stored in .+ differ: remove one of them\.$/)
  expect(existsSync(keyIn(second))).toBe(false)
  for (const secrets of [await open(null, first), await open(key, second)]) {
    expect([secrets.unseal('name', sealed), secrets.unseal('other', sealed)]).toEqual(['text', null])
  }
})

test('a release derives the same from a key as the one before: keys of games, links and stored passwords depend on it', async () => {
  await database.db.updateTable('installation').set({ secretFingerprint: null }).execute()
  const secretKey = 'a key of 32 characters .........'
  const secrets = await openSecrets({ secretKey, dataDir: aFolder() }, database.db)
  expect(Buffer.from(secrets.key).toString()).toBe(secretKey)
  expect(secrets.derive('purpose').toString('hex')).toBe('20bbe4bfdfd89aae39e18b5b29693749c017f3556d1807cbeda59f588fcca748')
  expect(secrets.unseal('name', 'AQEBAQEBAQEBAQEBtGqk0u2vtr9fiCWP5VQdTStFB_M')).toBe('text')
  expect(await database.db.selectFrom('installation').select('secretFingerprint').execute()).toEqual([
    { secretFingerprint: 'd08e94f3521a0f7b570986e21cd61fa94300ed6be37f90bb6563b4690bc3414b' },
  ])
})
