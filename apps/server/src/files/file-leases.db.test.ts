/** Files and rows stay consistent without an open transaction when the same bytes are added and removed concurrently. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { aFile, anAccount, at } from '../../test/builders/game.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { inTransaction } from '../db/transaction.ts'
import { acquireLease, dropLeases, withStored } from './file-leases.ts'
import { discardBytes, releaseFile } from './release-file.ts'
import { enterFile, putFile, storeFile } from './store-file.ts'
import { sweepFiles } from './sweep-files.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
let count = 0
const fresh = () => Buffer.from(`bytes ${++count}`)
const leases = () => platform.db.selectFrom('fileLeases').select(['hash', 'purpose']).execute()
/** A file that an administrator stored, without any reference. */
async function unused(bytes: Buffer): Promise<string> {
  return (await storeFile(platform.deps, bytes, { name: 'x', max: 1000 })).hash
}
const rows = (hash: string) => platform.db.selectFrom('files').select('hash').where('hash', '=', hash).execute()
/** Stores bytes as an account's picture; `meanwhile` runs between the check of the storage and the insertion of the row. */
async function enter(bytes: Buffer, meanwhile: () => Promise<void>): Promise<string> {
  const put = await putFile(platform.deps, bytes, 1000)
  const account = await anAccount(platform.db)
  const has = platform.deps.storage.has.bind(platform.deps.storage)
  const looked = vi.spyOn(platform.deps.storage, 'has').mockImplementationOnce(async (hash) => {
    const found = await has(hash)
    await meanwhile()
    return found
  })
  await withStored(platform.deps, [{ hash: put.hash }], async (tx) => {
    await enterFile(tx, { ...put, name: 'x' })
    await tx.updateTable('accounts').set({ avatarHash: put.hash }).where('id', '=', account).execute()
  })
  looked.mockRestore()
  return put.hash
}

test('bytes about to be registered are not removed, with or without a row', async () => {
  const known = fresh()
  const old = await unused(known)
  const kept = await enter(known, () => releaseFile(platform.deps, old))
  expect([kept, await platform.deps.storage.has(kept), (await rows(kept)).length]).toEqual([old, true, 1])

  // A row whose only reference is about to be inserted.
  const unreferred = await unused(fresh())
  const lease = await inTransaction(platform.db, (tx) => acquireLease(tx, unreferred, 'Entering'))
  await releaseFile(platform.deps, unreferred)
  expect([(await rows(unreferred)).length, await platform.deps.storage.has(unreferred)]).toEqual([1, true])
  await dropLeases(platform.db, [lease])
  await releaseFile(platform.deps, unreferred)
  expect([(await rows(unreferred)).length, await platform.deps.storage.has(unreferred)]).toEqual([0, false])

  const unknown = fresh()
  const entered = await enter(unknown, () => discardBytes(platform.deps, hashOf(unknown)))
  expect(await platform.deps.storage.has(entered)).toBe(true)
  expect(await leases()).toEqual([])
})

test('a registration during a removal waits, and stores the bytes again', async () => {
  const bytes = fresh()
  const hash = await unused(bytes)
  const { storage } = platform.deps
  let goOn: () => void = () => undefined
  const remove = storage.delete.bind(storage)
  const removing = vi.spyOn(storage, 'delete').mockImplementation(async (which) => {
    await new Promise<void>((go) => {
      goOn = go
    })
    return remove(which)
  })
  const released = releaseFile(platform.deps, hash)
  await vi.waitFor(() => expect(removing).toHaveBeenCalledOnce(), 5000)
  expect(await leases()).toEqual([{ hash, purpose: 'Removing' }])
  let entered = false
  const storing = storeFile(platform.deps, bytes, { name: 'again', max: 1000 }).then(() => {
    entered = true
  })
  await new Promise((later) => setTimeout(later, 150))
  expect(entered).toBe(false)
  goOn()
  await Promise.all([released, storing])
  removing.mockRestore()
  expect([await storage.has(hash), (await rows(hash)).length, await leases()]).toEqual([true, 1, []])
})

test('a registration waits ten seconds at most for a removal', async () => {
  const hash = 'b'.repeat(64)
  const lease = await inTransaction(platform.db, (tx) => acquireLease(tx, hash, 'Removing'))
  vi.useFakeTimers({ toFake: ['performance'] })
  const transactions = vi.spyOn(platform.db, 'transaction')
  onTestFinished(() => {
    vi.useRealTimers()
    transactions.mockRestore()
  })
  const failed = vi.fn()
  const storing = withStored(platform.deps, [{ hash }], async () => undefined).catch(failed)
  const askedAgain = async () => {
    // Not `vi.waitFor`, which moves the fake clock.
    for (const before = transactions.mock.calls.length; transactions.mock.calls.length < before + 3; ) await sleep(10)
  }
  await askedAgain()
  vi.advanceTimersByTime(9_999)
  await askedAgain()
  expect(failed).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  await storing
  expect(failed.mock.calls).toMatchObject([[{ code: 'file.not_stored' }]])
  await dropLeases(platform.db, [lease])
})

test('bytes removed since they were stored are stored again; a stream, which cannot be, is refused and leaves nothing', async () => {
  const { storage } = platform.deps
  const lost = vi.spyOn(storage, 'has').mockResolvedValueOnce(false)
  const again = vi.spyOn(storage, 'put')
  await unused(fresh())
  expect(again).toHaveBeenCalledTimes(2)
  lost.mockResolvedValueOnce(false)
  const work = vi.fn()
  await expect(withStored(platform.deps, [{ hash: 'a'.repeat(64) }], work)).rejects.toMatchObject({ code: 'file.not_stored' })
  expect(work).not.toHaveBeenCalled()
  expect(await leases()).toEqual([])
  lost.mockRestore()
  again.mockRestore()
})

test('failed work leaves no lease', async () => {
  const bytes = fresh()
  const hash = await unused(bytes)
  await expect(withStored(platform.deps, [{ hash }], () => Promise.reject(new Error('of the work')))).rejects.toThrow(
    'of the work',
  )
  expect(await leases()).toEqual([])
  await releaseFile(platform.deps, hash)
  expect(await platform.deps.storage.has(hash)).toBe(false)
})

test('leases of an ended process expire, and are deleted after an hour', async () => {
  const bytes = fresh()
  const hash = await unused(bytes)
  const leave = (purpose: string, minutes: number) =>
    sql`insert into file_leases (hash, purpose, since) values (${hash}, ${purpose}, clock_timestamp() - make_interval(mins => ${minutes}))`.execute(
      platform.db,
    )
  await leave('Removing', 5)
  await storeFile(platform.deps, bytes, { name: 'x', max: 1000 })
  await leave('Entering', 59)
  await releaseFile(platform.deps, hash)
  expect(await platform.deps.storage.has(hash)).toBe(true)
  await sql`update file_leases set since = since - interval '2 minutes'`.execute(platform.db)
  await releaseFile(platform.deps, hash)
  expect(await platform.deps.storage.has(hash)).toBe(false)
  await sweepFiles(platform.deps, new AbortController().signal)
  expect(await leases()).toEqual([{ hash, purpose: 'Removing' }])
  await sql`delete from file_leases`.execute(platform.db)
})

test('the sweep removes unused files also behind five hundred files that are in use', async () => {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const uploadedAt = at('-2h')
  const name = (i: number) => i.toString(16).padStart(64, '0')
  // Not in the order of the rows.
  const inUse = Array.from({ length: 500 }, (_, i) => name(500 - i))
  const last = await aFile(platform.db, { hash: name(501), uploadedAt })
  await platform.db
    .insertInto('files')
    .values(inUse.map((hash) => ({ hash, name: 'x', type: 'image/webp', size: 1, uploadedAt })))
    .execute()
  const first = await aFile(platform.db, { hash: name(0), uploadedAt })
  await sql`insert into accounts (id, user_name, name_key, email, password_hash, avatar_hash)
    select gen_random_uuid(), right(hash, 8), hash, hash || '@example.org', 'none', hash from unnest(${inUse}::text[]) as f (hash)`.execute(
    platform.db,
  )
  const left = async () => {
    const rows = await platform.db
      .selectFrom('files')
      .select('hash')
      .where('hash', 'in', [first, last, ...inUse])
      .execute()
    return rows.map(({ hash }) => hash).sort()
  }
  const { storage } = platform.deps
  const listed = vi.spyOn(storage, 'list').mockImplementation(async function* () {
    yield name(502)
  })
  const removing = vi.spyOn(storage, 'delete')
  await sweepFiles(platform.deps, AbortSignal.abort())
  expect([(await left()).length, removing.mock.calls]).toEqual([502, []])
  for (const spy of [listed, removing]) spy.mockRestore()
  await sweepFiles(platform.deps, stop.signal)
  expect(await left()).toEqual(inUse.sort())
})

test('a call to storage, mail server or captcha inside a transaction is detected', async () => {
  const asking = inTransaction(platform.db, () => platform.deps.storage.has('a'.repeat(64)))
  await expect(asking).rejects.toThrow('storage.has was called inside a transaction')
  await inTransaction(platform.db, async () => undefined)
  expect(await platform.deps.storage.has('a'.repeat(64))).toBe(false)
})

test('the sweep removes stored files without a row, each once, also behind five hundred others', async () => {
  const stored = Array.from({ length: 502 }, (_, i) => (i + 1000).toString(16).padStart(64, '0'))
  const known = await aFile(platform.db, { hash: stored[501] as string })
  const { storage } = platform.deps
  vi.spyOn(storage, 'list').mockImplementation(async function* () {
    yield* stored
  })
  const removing = vi.spyOn(storage, 'delete').mockResolvedValue(undefined as never)
  onTestFinished(() => void vi.restoreAllMocks())
  await sweepFiles(platform.deps, new AbortController().signal)
  expect(removing.mock.calls.map(([hash]) => hash).sort()).toEqual(stored.filter((hash) => hash !== known))
})
