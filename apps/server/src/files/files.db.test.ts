import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { aChallenge, aFile, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { aPng, htmlBytes } from '../../test/builders/images.ts'
import { mustNotWait } from '../../test/must-not-wait.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { withoutIndexes } from '../../test/without-indexes.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { fileUrl } from './file-url.ts'
import { forgetReleased, listReleased, noteReleased, referencedFiles } from './files.queries.ts'
import { keepReleasing, releaseFile, releaseLost } from './release-file.ts'
import { baseName, storeFile } from './store-file.ts'
import { uploadFiles } from './upload-files.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'boss' }))
})
afterAll(() => platform.stop())

let bytes: Buffer
let count = 0
beforeEach(() => {
  bytes = Buffer.from(`content ${++count}`)
})
const hashOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')
const placeOf = (hash: string) => join(platform.dataDir, 'uploads', hash.slice(0, 2), hash.slice(2, 4), hash)
const upload = (files: { name: string; bytes: Buffer }[], query = '') =>
  admin.upload('POST', `/api/assets${query}`, 'files', files)
const get = (url: string, headers: Record<string, string> = {}) => platform.app.inject({ url, headers })

describe('uploading', () => {
  test('P7.39 parts return hash and name in order; none is an empty list', async () => {
    const other = Buffer.from(`other ${count}`)
    const put = vi.spyOn(platform.deps.storage, 'put')
    const { status, body } = await upload([
      { name: 'b.txt', bytes },
      { name: 'a.txt', bytes: other },
    ])
    expect(status).toBe(200)
    // Each may have 500 MB.
    expect(put.mock.calls.map(([, most]) => most)).toEqual([500_000_000, 500_000_000])
    put.mockRestore()
    expect(body).toEqual([
      { hash: hashOf(bytes), name: 'b.txt' },
      { hash: hashOf(other), name: 'a.txt' },
    ])
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(true)
    expect((await upload([])).body).toEqual([])
    await platform.deps.log.flush()
    const logged = await platform.db.selectFrom('logs').select('message').where('message', 'like', 'Uploaded %').execute()
    expect(logged.map(({ message }) => message.split(':')[0])).toEqual(['Uploaded 2 files'])
  })

  test('P7.39 empty parts and parts with another name are skipped', async () => {
    const { body } = await upload([
      { name: 'empty', bytes: Buffer.alloc(0) },
      { name: 'full', bytes },
    ])
    expect(body).toEqual([{ hash: hashOf(bytes), name: 'full' }])
    expect((await admin.upload('POST', '/api/assets', 'other', [{ name: 'x', bytes }])).body).toEqual([])
  })

  test('P7.39 the query sets one name for all; only the base name is kept', async () => {
    const { body } = await upload([{ name: '../../etc/passwd', bytes }])
    expect(body[0].name).toBe('passwd')
    expect((await upload([{ name: 'x', bytes }], '?filename=flag.zip')).body[0].name).toBe('flag.zip')
  })

  test.each([
    ['C:\\temp\\a.txt', 'a.txt'],
    ['a\0b\nc\u202e.txt', 'abc.txt'],
    [' a.txt ', 'a.txt'],
    ['/', 'file'],
    ['', 'file'],
    ['x'.repeat(300), 'x'.repeat(255)],
  ])('P7.39 the base name of %j', (name, expected) => expect(baseName(name)).toBe(expected))

  test('P7.39 the same bytes are stored once, under the latest name', async () => {
    await upload([{ name: 'first', bytes }])
    await platform.db
      .updateTable('files')
      .set({ uploadedAt: new Date(0) })
      .where('hash', '=', hashOf(bytes))
      .execute()
    await upload([{ name: 'second', bytes }])
    const rows = await platform.db.selectFrom('files').selectAll().where('hash', '=', hashOf(bytes)).execute()
    expect(rows).toMatchObject([{ name: 'second', size: bytes.length, pinned: true }])
    expect(Math.abs(Date.now() - (rows[0]?.uploadedAt.getTime() ?? 0))).toBeLessThan(60_000)
  })

  test('P7.39 ten concurrent uploads of the same bytes are one file', async () => {
    const admins = await Promise.all(
      Array.from({ length: 5 }, async () => platform.as(await anAccount(platform.db, { role: 'Admin' }))),
    )
    const answers = await Promise.all(
      [...admins, ...admins].map((who, i) => who.upload('POST', '/api/assets', 'files', [{ name: `n${i}`, bytes }])),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect((await get(`/assets/${hashOf(bytes)}/x`)).payload).toBe(bytes.toString())
  })

  test('P7.39 a storage failure returns 400 with an error in the log, and no file is kept', async () => {
    const { storage } = platform.deps
    const put = storage.put.bind(storage)
    const failing = vi.spyOn(storage, 'put').mockImplementationOnce(put).mockRejectedValueOnce(new Error('EIO: broken'))
    const logged = vi.spyOn(platform.app.log, 'error').mockImplementation(() => {})
    const other = Buffer.from(`other ${count}`)
    const { error } = await upload([
      { name: 'x', bytes },
      { name: 'y', bytes: other },
    ])
    failing.mockRestore()
    expect(logged).toHaveBeenCalled()
    logged.mockRestore()
    expect(error).toMatchObject({ status: 400, code: 'file.not_stored' })
    expect([bytes, other].map((one) => existsSync(placeOf(hashOf(one))))).toEqual([false, false])
    await platform.deps.log.flush()
    const entries = await platform.db.selectFrom('logs').select(['level', 'status', 'name', 'message']).orderBy('id').execute()
    const message = 'Could not store upload: Error: EIO: broken'
    expect(entries.filter(({ level }) => level === 'Error')).toEqual([
      { level: 'Error', status: 'Failed', name: 'System', message },
    ])
  })

  test('P7.39 only administrators can upload, and only forms', async () => {
    const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
    expect((await monitor.upload('POST', '/api/assets', 'files', [{ name: 'x', bytes }])).status).toBe(403)
    expect((await platform.anyone.upload('POST', '/api/assets', 'files', [{ name: 'x', bytes }])).status).toBe(401)
    expect((await admin.post('/api/assets', {})).status).toBe(415)
    // The other way round, a form for a call that takes JSON.
    const form = { 'content-type': 'multipart/form-data; boundary=b' }
    expect((await admin.put('/api/account/changepassword', 'x', form)).error.code).toBe('request.wrong_type')
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(false)
  })

  test('P7.39 files are registered once each, in the order of their hashes, so that two uploads do not deadlock', async () => {
    const parts = ['one', 'two', 'three', 'four', 'one'].map((text) => Buffer.from(`${text} ${count}`))
    const looked = vi.spyOn(platform.deps.storage, 'has')
    await upload(parts.map((part, i) => ({ name: `${i}`, bytes: part })))
    const order = looked.mock.calls.map(([hash]) => hash)
    looked.mockRestore()
    expect(order).toEqual([...new Set(parts.map(hashOf))].sort())
  })

  test('P7.39 a file of exactly the limit is stored, and one byte more is refused with 413', async () => {
    const large = Buffer.alloc(1_000_001, count)
    Object.assign(platform.deps.config, { assetMb: 1 })
    try {
      expect((await upload([{ name: 'large', bytes: large.subarray(1) }])).status).toBe(200)
      const { error } = await upload([{ name: 'large', bytes: large }])
      expect(error).toMatchObject({ status: 413, code: 'file.asset_too_large', data: { max: 1_000_000 } })
      expect(existsSync(placeOf(hashOf(large)))).toBe(false)
    } finally {
      Object.assign(platform.deps.config, { assetMb: 500 })
    }
  })

  test('P7.39 a form that ends early is an error of the sender, not of the storage', async () => {
    const { error } = await admin.post('/api/assets', 'x', { 'content-type': 'multipart/form-data; boundary=b' })
    expect(error).toMatchObject({ status: 400, code: 'request.malformed' })
  })

  test('P7.39 an aborted form stores none of its files', async () => {
    const breaksOff = async function* () {
      yield { fileName: 'one', stream: Readable.from([bytes]) }
      throw new Error('connection lost')
    }
    await expect(
      uploadFiles({ ...platform.deps, onError: () => {} }, breaksOff(), { max: 100, commonName: undefined }),
    ).rejects.toMatchObject({
      code: 'file.not_stored',
    })
    expect(await platform.db.selectFrom('files').select('hash').where('hash', '=', hashOf(bytes)).execute()).toEqual([])
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(false)
  })
})

describe('reading', () => {
  test.each(['task file.txt', '旗 — 100%?.txt', 'a&b=c;d+e@f.zip'])(
    'the link of %j leads to the file, in a browser and in a tool that escapes non-ASCII characters itself',
    async (name) => {
      if (!platform.app.server.listening) await platform.app.listen({ port: 0, host: '127.0.0.1' })
      const { port } = platform.app.server.address() as AddressInfo
      await upload([{ name: 'any', bytes }])
      const url = fileUrl(hashOf(bytes), name)
      const answer = await fetch(`http://127.0.0.1:${port}${url}`)
      expect([answer.status, await answer.text()]).toEqual([200, bytes.toString()])
      expect(answer.headers.get('content-disposition')).toContain(`filename*=UTF-8''${encodeURIComponent(name)}`)
      const socket = connect(port, '127.0.0.1')
      socket.write(`GET ${url.replace(/[^!-~]+/g, encodeURIComponent)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      const got = (await socket.toArray()).join('')
      expect(got).toMatch(/^HTTP\/1.1 200 /)
      expect(got.endsWith(`\r\n\r\n${bytes}`)).toBe(true)
      expect(got).toContain(`filename*=UTF-8''${encodeURIComponent(name)}`)
    },
  )

  test('P7.41 an attachment whose name has 255 Japanese characters is downloaded from the link of its challenge', async () => {
    await upload([{ name: `${'旗'.repeat(251)}.zip`, bytes }])
    const game = await aGame(platform.db)
    const challenge = await aChallenge(platform.db, game)
    const team = await aTeam(platform.db)
    await aParticipation(platform.db, game, team)
    const attached = { attachmentType: 'Local', fileHash: hashOf(bytes) }
    expect((await admin.post(`/api/edit/games/${game}/challenges/${challenge}/attachment`, attached)).status).toBe(200)
    const { body } = await (await platform.as(team.captain)).get(`/api/game/${game}/challenges/${challenge}`)
    const reply = await get(new URL(body.context.url, 'http://localhost').pathname)
    expect([reply.statusCode, reply.payload]).toEqual([200, bytes.toString()])
    expect(reply.headers['content-disposition']).toMatch(/%E6%97%97\.zip$/)
  })

  test('P7.41 a stored file is downloaded by its hash under any name', async () => {
    await upload([{ name: 'a.bin', bytes }])
    const reply = await get(`/assets/${hashOf(bytes)}/%E6%97%97%20%22x%22.zip`)
    expect(reply.statusCode).toBe(200)
    expect(reply.payload).toBe(bytes.toString())
    expect(reply.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="_ _x_.zip"; filename*=UTF-8''%E6%97%97%20%22x%22.zip`,
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=604800, immutable',
      etag: `"${hashOf(bytes)}"`,
    })
  })

  test('P7.41 an image is served by its content, regardless of its name', async () => {
    const png = await aPng({ width: 20 + count })
    await upload([{ name: 'x', bytes: png }])
    const { headers } = await get(`/assets/${hashOf(png)}/evil.html`)
    expect(headers['content-type']).toBe('image/png')
    expect(headers['content-disposition']).toMatch(/^inline;/)
    expect(headers['x-content-type-options']).toBe('nosniff')
  })

  test.each([
    ['HTML', htmlBytes],
    ['SVG', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['XML', Buffer.from('<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>')],
  ])('P5.10 %s cannot run on our origin, even under a harmless name', async (_, active) => {
    await upload([{ name: 'x', bytes: active }])
    const { headers } = await get(`/assets/${hashOf(active)}/picture.png`)
    expect(headers).toMatchObject({ 'content-type': 'application/octet-stream', 'content-security-policy': 'sandbox' })
    expect(headers['content-disposition']).toMatch(/^attachment;/)
  })

  test('P7.41 HEAD, If-None-Match and ranges', async () => {
    await upload([{ name: 'x', bytes }])
    const url = `/assets/${hashOf(bytes)}/x`
    const head = await platform.app.inject({ method: 'HEAD', url })
    expect([head.statusCode, head.payload, head.headers['content-length']]).toEqual([200, '', String(bytes.length)])
    const known = await get(url, { 'if-none-match': `W/"${hashOf(bytes)}"` })
    expect([known.statusCode, known.payload]).toEqual([304, ''])
    const part = await get(url, { range: 'bytes=2-4' })
    expect([part.statusCode, part.payload, part.headers['content-range']]).toEqual([
      206,
      bytes.toString().slice(2, 5),
      `bytes 2-4/${bytes.length}`,
    ])
    expect((await get(url, { range: 'bytes=-3' })).payload).toBe(bytes.toString().slice(-3))
    expect((await get(url, { range: 'bytes=3-' })).payload).toBe(bytes.toString().slice(3))
    expect((await get(url, { range: 'bytes=999-' })).statusCode).toBe(416)
    expect((await get(url, { range: 'bytes=2-4', 'if-range': '"other"' })).statusCode).toBe(200)
    expect((await get(url, { range: 'lines=1-2' })).statusCode).toBe(200)
  })

  test('P7.41 the response has Last-Modified, and a request with a later If-Modified-Since gets 304', async () => {
    await upload([{ name: 'x', bytes }])
    const url = `/assets/${hashOf(bytes)}/x`
    const time = String((await get(url)).headers['last-modified'])
    expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(60_000)
    const since = async (headers: Record<string, string>) => (await get(url, headers)).statusCode
    expect(await since({ 'if-modified-since': time })).toBe(304)
    expect(await since({ 'if-modified-since': new Date(Date.parse(time) - 1000).toUTCString() })).toBe(200)
    expect(await since({ 'if-modified-since': 'nonsense' })).toBe(200)
    // An ETag takes precedence over a time.
    expect(await since({ 'if-modified-since': time, 'if-none-match': '"other"' })).toBe(200)
  })

  test('P7.41 an unknown hash returns 404, an uppercase one 400, another length 404', async () => {
    // Differences of whole numbers are exact.
    const startedAt = Math.ceil(performance.now())
    const clock = vi.spyOn(performance, 'now').mockReturnValue(startedAt)
    onTestFinished(() => clock.mockRestore())
    const hash = hashOf(Buffer.from('never stored'))
    const name = 'x'.repeat(101)
    expect((await platform.anyone.get(`/assets/${hash}/${name}`)).error).toMatchObject({ status: 404, code: 'file.not_found' })
    expect((await platform.anyone.get(`/assets/${hash.toUpperCase()}/x`)).error).toMatchObject({
      status: 400,
      code: 'file.hash_invalid',
    })
    expect((await platform.anyone.get(`/assets/${hash.slice(1)}/x`)).error).toMatchObject({
      status: 404,
      code: 'request.not_found',
    })
    // Repeated misses cause one log entry in ten seconds, with the first 100 characters of the name.
    const logged = { level: 'Warning', name: 'Anonymous', message: `No file ${hash.slice(0, 8)} (${name.slice(1)})` }
    for (const [passed, entries] of [
      [0, 1],
      [10_000, 1],
      [10_001, 2],
    ] as const) {
      clock.mockReturnValue(startedAt + passed)
      expect((await get(`/assets/${hash}/${name}`)).statusCode).toBe(404)
      await platform.deps.log.flush()
      const misses = await platform.db.selectFrom('logs').selectAll().where('status', '=', 'NotFound').execute()
      expect(misses).toMatchObject(Array(entries).fill(logged))
    }
  })

  test('P7.41 P5.11 a writeup is readable for its own team, not for a team with another one', async () => {
    const game = await aGame(platform.db)
    const [own, other] = [await aTeam(platform.db), await aTeam(platform.db)]
    const { hash } = await storeFile(platform.deps, bytes, { name: 'x.pdf', max: 1000 })
    const fileHash = await aFile(platform.db)
    await platform.db
      .insertInto('writeups')
      .values([
        { participationId: await aParticipation(platform.db, game, own), fileHash: hash, fileName: 'x.pdf' },
        { participationId: await aParticipation(platform.db, game, other), fileHash, fileName: 'y.pdf' },
      ])
      .execute()
    const status = async ({ captain }: { captain: string }) =>
      (await (await platform.as(captain)).get(`/assets/${hash}/x.pdf`)).status
    expect([await status(own), await status(other)]).toEqual([200, 404])
  })
})

describe('removing', () => {
  /** The newest entry of the log about the deletion of these bytes. */
  const deletionOf = async (content: Buffer) => {
    await platform.deps.log.flush()
    return platform.db
      .selectFrom('logs')
      .select(['status', 'name'])
      .where('message', '=', `Deletion of file ${hashOf(content).slice(0, 8)}`)
      .orderBy('id', 'desc')
      .executeTakeFirst()
  }

  test('P7.40 an upload is deleted with its bytes; a second time returns 404', async () => {
    await upload([{ name: 'x', bytes }])
    const deletedAnswer = await admin.delete(`/api/assets/${hashOf(bytes)}`)
    expect([deletedAnswer.status, deletedAnswer.body]).toEqual([200, ''])
    await platform.deps.log.flush()
    const about = hashOf(bytes).slice(0, 8)
    const logged = await platform.db.selectFrom('logs').selectAll().where('message', 'like', `%${about}%`).orderBy('id').execute()
    expect(logged.map(({ status, name, message }) => [status, name, message])).toEqual([
      ['Success', 'boss', `Uploaded 1 files: x (${about})`],
      ['Success', 'System', `File removed: ${about}`],
      ['Success', 'boss', `Deletion of file ${about}`],
    ])
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(false)
    expect(await platform.db.selectFrom('releasedFiles').selectAll().execute()).toEqual([])
    expect((await admin.delete(`/api/assets/${hashOf(bytes)}`)).error).toMatchObject({ status: 404, code: 'file.not_found' })
    expect((await (await platform.as(await anAccount(platform.db))).delete(`/api/assets/${hashOf(bytes)}`)).status).toBe(403)
  })

  test('P7.40 a file whose bytes are lost is not found, and its row is deleted', async () => {
    await upload([{ name: 'x', bytes }])
    await platform.deps.storage.delete(hashOf(bytes))
    expect((await get(`/assets/${hashOf(bytes)}/x`)).statusCode).toBe(404)
    expect((await admin.delete(`/api/assets/${hashOf(bytes)}`)).status).toBe(404)
    expect(await deletionOf(bytes)).toEqual({ status: 'NotFound', name: 'boss' })
    expect(await platform.db.selectFrom('files').select('hash').where('hash', '=', hashOf(bytes)).execute()).toEqual([])
  })

  test('P7.40 bytes without a row are not found, and are kept', async () => {
    await platform.deps.storage.put(bytes, 1000)
    expect((await admin.delete(`/api/assets/${hashOf(bytes)}`)).error).toMatchObject({ status: 404, code: 'file.not_found' })
    expect(await deletionOf(bytes)).toEqual({ status: 'NotFound', name: 'boss' })
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(true)
  })

  test('P7.40 a user’s image that is also uploaded is kept by the upload, and deleted with it', async () => {
    const { hash } = await storeFile(platform.deps, bytes, { name: 'picture', max: 1000 })
    const account = await anAccount(platform.db, { avatarHash: hash })
    await upload([{ name: 'x', bytes }])
    await platform.db.updateTable('accounts').set({ avatarHash: null }).where('id', '=', account).execute()
    await releaseFile(platform.deps, hash)
    expect(existsSync(placeOf(hash))).toBe(true)
    expect((await admin.delete(`/api/assets/${hash}`)).status).toBe(200)
    expect(existsSync(placeOf(hash))).toBe(false)
  })

  test('files released by a cascade are removed every ten seconds, until the platform closes, which waits for one file at most', async () => {
    const next = Buffer.from(`next ${count}`)
    for (const content of [bytes, next]) {
      await upload([{ name: 'x', bytes: content }])
      await platform.db.updateTable('files').set({ pinned: false }).where('hash', '=', hashOf(content)).execute()
      await inTransaction(platform.db, (tx) => noteReleased(tx, hashOf(content)))
    }
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const releases = keepReleasing(platform.deps)
      vi.advanceTimersByTime(9_999)
      expect(existsSync(placeOf(hashOf(bytes)))).toBe(true)
      vi.advanceTimersByTime(1)
      await releases.close()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
    expect([bytes, next].map((content) => existsSync(placeOf(hashOf(content))))).toEqual([false, true])
    await releaseLost(platform.deps)
    expect(existsSync(placeOf(hashOf(next)))).toBe(false)
    expect(await platform.db.selectFrom('releasedFiles').selectAll().execute()).toEqual([])
  })

  test('files that cannot be removed do not delay the others, and the first of them is reported', async () => {
    await platform.db
      .insertInto('releasedFiles')
      .values(Array.from({ length: 150 }, () => ({ hash: 'read-only' })))
      .execute()
    await upload([{ name: 'x', bytes }])
    await platform.db.updateTable('files').set({ pinned: false }).where('hash', '=', hashOf(bytes)).execute()
    await inTransaction(platform.db, (tx) => noteReleased(tx, hashOf(bytes)))
    const { storage } = platform.deps
    const remove = storage.delete.bind(storage)
    const spy = vi.spyOn(storage, 'delete').mockImplementation((hash) => {
      if (hash === 'read-only') throw new Error('read-only')
      return remove(hash)
    })
    const onError = vi.fn()
    await releaseLost({ ...platform.deps, onError })
    spy.mockRestore()
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(false)
    expect(onError.mock.calls).toEqual([[new Error('read-only')]])
    const { numDeletedRows } = await platform.db.deleteFrom('releasedFiles').executeTakeFirstOrThrow()
    expect(numDeletedRows).toBe(150n)
  })

  test('released files are removed in the order of their release', async () => {
    const ids = await inTransaction(platform.db, async (tx) => [await noteReleased(tx, 'a'), await noteReleased(tx, 'b')])
    // The database then stores it behind the other.
    await platform.db
      .updateTable('releasedFiles')
      .set({ hash: 'c' })
      .where('id', '=', ids[0] as number)
      .execute()
    expect((await withoutIndexes(platform.db, (db) => listReleased(db, 0))).map(({ id }) => id)).toEqual(ids)
    for (const id of ids) await forgetReleased(platform.db, id)
  })

  test('P7.40 bytes that cannot be removed return 400, and are removed later', async () => {
    await upload([{ name: 'x', bytes }])
    const { storage } = platform.deps
    const remove = vi.spyOn(storage, 'delete').mockRejectedValue(new Error('read-only'))
    const logged = vi.spyOn(platform.app.log, 'error').mockImplementation(() => {})
    const refused = await admin.delete(`/api/assets/${hashOf(bytes)}`)
    expect([refused.status, refused.error.status, refused.error.code]).toEqual([400, 400, 'file.not_deleted'])
    expect(await deletionOf(bytes)).toEqual({ status: 'Failed', name: 'boss' })
    await releaseLost(platform.deps)
    expect(await platform.db.selectFrom('fileLeases').select('purpose').execute()).toEqual([])
    remove.mockRestore()
    logged.mockRestore()
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(true)
    // The removal of another file does not cancel it.
    const neighbour = Buffer.from(`neighbour ${count}`)
    await upload([{ name: 'y', bytes: neighbour }])
    expect((await admin.delete(`/api/assets/${hashOf(neighbour)}`)).status).toBe(200)
    await releaseLost(platform.deps)
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(false)
    expect(await platform.db.selectFrom('releasedFiles').selectAll().execute()).toEqual([])
  })

  test('P7.40 an upload in use keeps its bytes when only the upload is deleted', async () => {
    const neighbour = Buffer.from(`neighbour ${count}`)
    await upload([
      { name: 'x', bytes },
      { name: 'y', bytes: neighbour },
    ])
    await anAccount(platform.db, { avatarHash: hashOf(bytes) })
    const hold = `select from files where hash = '${hashOf(neighbour)}' for update`
    const deleted = await mustNotWait(platform, hold, () => admin.delete(`/api/assets/${hashOf(bytes)}`))
    expect(deleted.status).toBe(200)
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(true)
    const pinned = await platform.db
      .selectFrom('files')
      .select(['hash', 'pinned'])
      .where('hash', 'in', [hashOf(bytes), hashOf(neighbour)])
      .execute()
    expect(Object.fromEntries(pinned.map((row) => [row.hash, row.pinned]))).toEqual({
      [hashOf(bytes)]: false,
      [hashOf(neighbour)]: true,
    })
  })

  test('P7.40 P7.39 an upload that becomes an attachment is deleted with it, for a challenge or a flag', async () => {
    const game = await aGame(platform.db)
    const challenge = await aChallenge(platform.db, game)
    const dynamic = await aChallenge(platform.db, game, { type: 'DynamicAttachment', flags: ['flag{old}'] })
    const [one, two, unused] = ['one', 'two', 'unused'].map((name) => Buffer.from(`${name} ${count}`)) as [Buffer, Buffer, Buffer]
    await upload([one, two, unused].map((content) => ({ name: 'task.zip', bytes: content })))
    const base = `/api/edit/games/${game}/challenges`
    const local = (content: Buffer) => ({ attachmentType: 'Local', fileHash: hashOf(content) })
    expect((await admin.post(`${base}/${challenge}/attachment`, local(one))).status).toBe(200)
    const flags = [
      { flag: 'flag{new}', ...local(two) },
      { flag: 'flag{old}', ...local(unused) },
    ]
    expect((await admin.post(`${base}/${dynamic}/flags`, flags)).status).toBe(200)
    const pinned = await platform.db.selectFrom('files').select('hash').where('pinned', '=', true).execute()
    const isPinned = [one, two, unused].map((content) => pinned.some(({ hash }) => hash === hashOf(content)))
    expect(isPinned).toEqual([false, false, false])
    expect((await admin.post(`${base}/${challenge}/attachment`, { attachmentType: 'None' })).status).toBe(200)
    expect((await admin.delete(`${base}/${dynamic}`)).status).toBe(200)
    await releaseLost(platform.deps)
    // The daily clean-up deletes the file of the flag that already existed.
    expect([one, two, unused].map((content) => existsSync(placeOf(hashOf(content))))).toEqual([false, false, true])
  })

  test('P7.40 every kind of reference keeps a file, also in backups', async () => {
    const hash = hashOf(bytes)
    const neighbour = await aFile(platform.db)
    const setting = (key: string, value: string) => platform.db.insertInto('settings').values({ key, value }).execute()
    const uses = [
      () => anAccount(platform.db, { avatarHash: hash }),
      () => aGame(platform.db, { posterHash: hash }),
      () => setting('GlobalConfig:LogoHash', hash),
      () => setting('GlobalConfig:FaviconHash', hash),
      async () => {
        const id = await anAccount(platform.db)
        await platform.db.insertInto('teams').values({ name: 't', captainId: id, inviteToken: 'x', avatarHash: hash }).execute()
      },
      async () => {
        const participationId = await aParticipation(platform.db, await aGame(platform.db), await aTeam(platform.db))
        await platform.db.insertInto('writeups').values({ participationId, fileHash: hash, fileName: 'x.pdf' }).execute()
      },
    ]
    const undo = [
      () => platform.db.updateTable('accounts').set({ avatarHash: null }).execute(),
      () => platform.db.updateTable('games').set({ posterHash: null }).execute(),
      () => platform.db.deleteFrom('settings').execute(),
      () => platform.db.deleteFrom('settings').execute(),
      () => platform.db.updateTable('teams').set({ avatarHash: null }).execute(),
      () => platform.db.deleteFrom('writeups').execute(),
    ]
    const isInBackups = async () =>
      (await platform.database.pool.query(referencedFiles(platform.db))).rows.some((row: { hash: string }) => row.hash === hash)
    for (const [i, use] of uses.entries()) {
      await storeFile(platform.deps, bytes, { name: 'x', max: 1000 })
      await use()
      await releaseFile(platform.deps, hash)
      expect([existsSync(placeOf(hash)), await isInBackups()]).toEqual([true, true])
      await undo[i]!()
      // The logo is another file, and the text of another setting is no reference.
      await setting('GlobalConfig:LogoHash', neighbour)
      await setting('GlobalConfig:Slogan', hash)
      expect(await isInBackups()).toBe(false)
      await releaseFile(platform.deps, hash)
      expect(existsSync(placeOf(hash))).toBe(false)
      await platform.db.deleteFrom('settings').execute()
    }
  })

  test('every column that refers to a file is counted', async () => {
    const { rows } = await sql<{ name: string }>`
      select conrelid::regclass::text as name from pg_constraint where contype = 'f' and confrelid = 'files'::regclass order by 1`.execute(
      platform.db,
    )
    // A new table here needs a line in isReferred (files.queries.ts) and in the test above.
    expect(rows.map((row) => row.name)).toEqual(['accounts', 'attachments', 'games', 'teams', 'writeups'])
  })

  test('concurrent stores and releases of the same bytes never leave a reference without bytes', async () => {
    const gameId = await aGame(platform.db)
    for (let round = 0; round < 40; round++) {
      const content = Buffer.from(`crosswise ${round}`)
      const hash = hashOf(content)
      await storeFile(platform.deps, content, { name: 'x', max: 1000 })
      const refer = (tx: Tx, posterHash: string) =>
        tx
          .updateTable('games')
          .set({ posterHash })
          .where('id', '=', gameId)
          .execute()
          .then(() => {})
      await Promise.all([
        releaseFile(platform.deps, hash),
        storeFile(platform.deps, content, { name: 'x', max: 1000 }, refer),
        releaseFile(platform.deps, hash),
      ])
      expect((await get(`/assets/${hash}/x`)).statusCode).toBe(200)
    }
  })
})

describe('the list for administrators', () => {
  test('P7.32 has all files by name with size, time and number of references', async () => {
    const [used, unused] = [Buffer.from(`used ${count}`), Buffer.from(`unused file ${count}`)]
    await upload([{ name: '0-used', bytes: used }])
    await upload([{ name: '0-unused', bytes: unused }])
    const hash = hashOf(used)
    for (let i = 0; i < 2; i++) await anAccount(platform.db, { avatarHash: hash })
    await aGame(platform.db, { posterHash: hash })
    const participationId = await aParticipation(platform.db, await aGame(platform.db), await aTeam(platform.db))
    await platform.db.insertInto('writeups').values({ participationId, fileHash: hash, fileName: 'x.pdf' }).execute()
    await platform.db
      .updateTable('teams')
      .set({ avatarHash: hash })
      .where('id', '=', (await aTeam(platform.db)).id)
      .execute()
    const challengeId = await aChallenge(platform.db, await aGame(platform.db))
    await platform.db.insertInto('attachments').values({ challengeId, type: 'Local', fileHash: hash, fileName: 'x' }).execute()
    const settings = ['GlobalConfig:LogoHash', 'GlobalConfig:Slogan'].map((key) => ({ key, value: hash }))
    const text = { key: 'GlobalConfig:Description', value: hashOf(unused) }
    await platform.db
      .insertInto('settings')
      .values([...settings, text])
      .execute()
    const same = ['f', '0'].map((digit) => digit.repeat(64))
    for (const one of same) await aFile(platform.db, { name: '0-same', hash: one })

    const { status, body } = await admin.get('/api/admin/files')
    expect(status).toBe(200)
    const { total } = await platform.db
      .selectFrom('files')
      .select(sql<number>`count(*)::int`.as('total'))
      .executeTakeFirstOrThrow()
    expect([body.total, body.length]).toEqual([total, body.data.length])
    const names = body.data.map(({ name }: { name: string }) => name)
    expect(names.indexOf('0-unused')).toBeLessThan(names.indexOf('0-used'))
    const hashes = body.data.map((one: { hash: string }) => one.hash)
    expect(hashes.slice(names.indexOf('0-same')).slice(0, 2)).toEqual(same.toReversed())
    const rowOf = (content: Buffer) => body.data.find((row: { hash: string }) => row.hash === hashOf(content))
    const { uses, ...row } = rowOf(used)
    expect(row).toEqual({ hash, name: '0-used', fileSize: used.length, uploadTime: expect.any(String), references: 7 })
    expect(uses.map(({ use }: { use: string }) => use)).toEqual(['Account', 'Account', 'Team', 'Game', 'Challenge'])
    expect(uses[4]).toEqual({ use: 'Challenge', name: expect.any(String), gameId: expect.any(Number), challengeId })
    expect(rowOf(unused)).toMatchObject({ references: 0, uses: [], fileSize: unused.length })
    await platform.db.deleteFrom('attachments').where('fileHash', '=', hash).execute()
    await platform.db.updateTable('accounts').set({ avatarHash: null }).where('avatarHash', '=', hash).execute()
    const fewer = (await admin.get('/api/admin/files')).body.data.find((one: { hash: string }) => one.hash === hash)
    expect(fewer.uses.map(({ use }: { use: string }) => use)).toEqual(['Team', 'Game', 'Writeup', 'Site'])
    const { gameId } = await platform.db
      .selectFrom('participations')
      .select('gameId')
      .where('id', '=', participationId)
      .executeTakeFirstOrThrow()
    expect(fewer.uses[2]).toMatchObject({ gameId, challengeId: null })
    await platform.db.deleteFrom('settings').execute()
  })

  test('P7.32 the first uses are those with the first names, in this order', async () => {
    const hash = await aFile(platform.db)
    for (const title of ['f', 'e', 'd', 'c', 'b', 'a']) await aGame(platform.db, { title, posterHash: hash })
    const { data } = (await admin.get('/api/admin/files?count=10000')).body
    const { references, uses } = data.find((one: { hash: string }) => one.hash === hash)
    expect([references, uses.map(({ name }: { name: string }) => name)]).toEqual([6, ['a', 'b', 'c', 'd', 'e']])
  })

  test('P7.32 a challenge or the site that uses a file twice is one use', async () => {
    const fileHash = await aFile(platform.db)
    const challengeId = await aChallenge(platform.db, await aGame(platform.db), { title: 'Twice', flags: ['flag{1}', 'flag{2}'] })
    const flags = await platform.db.selectFrom('flags').select('id').where('challengeId', '=', challengeId).execute()
    const attachments = flags.map(({ id }) => ({ challengeId, flagId: id, type: 'Local', fileHash, fileName: 'x' }))
    await platform.db.insertInto('attachments').values(attachments).execute()
    const settings = ['GlobalConfig:LogoHash', 'GlobalConfig:FaviconHash'].map((key) => ({ key, value: fileHash }))
    await platform.db.insertInto('settings').values(settings).execute()
    const { data } = (await admin.get('/api/admin/files?count=10000')).body
    const { references, uses } = data.find((one: { hash: string }) => one.hash === fileHash)
    expect([references, uses]).toMatchObject([
      4,
      [
        { use: 'Challenge', name: 'Twice', challengeId },
        { use: 'Site', name: '' },
      ],
    ])
    await platform.db.deleteFrom('settings').execute()
  })

  test('P7.32 is paged, for administrators only', async () => {
    await upload([{ name: 'page', bytes }])
    const all = (await admin.get('/api/admin/files?count=10000')).body
    const second = (await admin.get('/api/admin/files?count=1&skip=1')).body
    expect(second).toEqual({ data: [all.data[1]], length: 1, total: all.total })
    expect((await admin.get('/api/admin/files?count=-1')).status).toBe(400)
    expect((await (await platform.as(await anAccount(platform.db, { role: 'Monitor' }))).get('/api/admin/files')).status).toBe(
      403,
    )
    expect((await platform.anyone.get('/api/admin/files')).status).toBe(401)
  })
})
