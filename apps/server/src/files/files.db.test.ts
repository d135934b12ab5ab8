import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { aPng, htmlBytes } from '../../test/builders/images.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import type { Tx } from '../db/transaction.ts'
import { releaseFile } from './release-file.ts'
import { baseName, storeFile } from './store-file.ts'
import { uploadFiles } from './upload-files.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
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
  test('P7.39 parts answer with hash and name in their order; none is an empty list', async () => {
    const other = Buffer.from(`other ${count}`)
    const { status, body } = await upload([
      { name: 'b.txt', bytes },
      { name: 'a.txt', bytes: other },
    ])
    expect(status).toBe(200)
    expect(body).toEqual([
      { hash: hashOf(bytes), name: 'b.txt' },
      { hash: hashOf(other), name: 'a.txt' },
    ])
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(true)
    expect((await upload([])).body).toEqual([])
  })

  test('P7.39 empty parts and parts of another name are skipped', async () => {
    const { body } = await upload([
      { name: 'empty', bytes: Buffer.alloc(0) },
      { name: 'full', bytes },
    ])
    expect(body).toEqual([{ hash: hashOf(bytes), name: 'full' }])
    expect((await admin.upload('POST', '/api/assets', 'other', [{ name: 'x', bytes }])).body).toEqual([])
  })

  test('P7.39 one name for all by the query; only the base name is kept', async () => {
    const { body } = await upload([{ name: '../../etc/passwd', bytes }])
    expect(body[0].name).toBe('passwd')
    expect((await upload([{ name: 'x', bytes }], '?filename=flag.zip')).body[0].name).toBe('flag.zip')
  })

  test.each([
    ['C:\\temp\\a.txt', 'a.txt'],
    ['a\0b\nc\u202e.txt', 'abc.txt'],
    ['/', 'file'],
    ['', 'file'],
    ['x'.repeat(300), 'x'.repeat(255)],
  ])('P7.39 the base name of %j', (name, expected) => expect(baseName(name)).toBe(expected))

  test('P7.39 the same bytes are stored once, under the newest name', async () => {
    await upload([{ name: 'first', bytes }])
    await upload([{ name: 'second', bytes }])
    const rows = await platform.db.selectFrom('files').selectAll().where('hash', '=', hashOf(bytes)).execute()
    expect(rows).toMatchObject([{ name: 'second', size: bytes.length, held: true }])
  })

  test('P7.39 ten uploads of the same bytes at the same instant are one file', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => upload([{ name: `n${i}`, bytes }])))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect((await get(`/assets/${hashOf(bytes)}/x`)).payload).toBe(bytes.toString())
  })

  test('P7.39 only administrators upload, and only forms', async () => {
    const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
    expect((await monitor.upload('POST', '/api/assets', 'files', [{ name: 'x', bytes }])).status).toBe(403)
    expect((await platform.anyone.upload('POST', '/api/assets', 'files', [{ name: 'x', bytes }])).status).toBe(401)
    expect((await admin.post('/api/assets', {})).status).toBe(415)
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(false)
  })

  test('P7.39 a form that breaks off stores none of its files', async () => {
    const breaksOff = async function* () {
      yield { fileName: 'one', stream: Readable.from([bytes]) }
      throw new Error('connection lost')
    }
    await expect(uploadFiles({ ...platform.deps, report: () => {} }, breaksOff())).rejects.toMatchObject({
      code: 'file.not_stored',
    })
    expect(await platform.db.selectFrom('files').select('hash').where('hash', '=', hashOf(bytes)).execute()).toEqual([])
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(false)
  })
})

describe('reading', () => {
  test('a stored file is downloaded by its hash under any name', async () => {
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

  test('a picture is shown by what it is, whatever it is called', async () => {
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
  ])('P5.10 %s cannot run on our origin, not even under a harmless name', async (_, active) => {
    await upload([{ name: 'x', bytes: active }])
    const { headers } = await get(`/assets/${hashOf(active)}/picture.png`)
    expect(headers).toMatchObject({ 'content-type': 'application/octet-stream', 'content-security-policy': 'sandbox' })
    expect(headers['content-disposition']).toMatch(/^attachment;/)
  })

  test('HEAD, If-None-Match and ranges', async () => {
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

  test('an unknown hash is 404, one in upper case 400, another length no address', async () => {
    const hash = hashOf(Buffer.from('never stored'))
    expect((await platform.anyone.get(`/assets/${hash}/x`)).error).toMatchObject({ status: 404, code: 'file.not_found' })
    expect((await platform.anyone.get(`/assets/${hash.toUpperCase()}/x`)).error).toMatchObject({
      status: 400,
      code: 'file.hash_invalid',
    })
    expect((await platform.anyone.get(`/assets/${hash.slice(1)}/x`)).error).toMatchObject({
      status: 404,
      code: 'request.not_found',
    })
    await platform.deps.log.flush()
    const misses = await platform.db.selectFrom('logs').selectAll().where('status', '=', 'NotFound').execute()
    expect(misses).toMatchObject([{ level: 'Warning', name: 'Anonymous', message: `No file ${hash.slice(0, 8)} (x)` }])
  })
})

describe('removing', () => {
  test('an upload is deleted with its bytes; twice is 404', async () => {
    await upload([{ name: 'x', bytes }])
    const gone = await admin.delete(`/api/assets/${hashOf(bytes)}`)
    expect([gone.status, gone.body]).toEqual([200, ''])
    expect(existsSync(placeOf(hashOf(bytes)))).toBe(false)
    expect((await admin.delete(`/api/assets/${hashOf(bytes)}`)).error).toMatchObject({ status: 404, code: 'file.not_found' })
    expect((await (await platform.as(await anAccount(platform.db))).delete(`/api/assets/${hashOf(bytes)}`)).status).toBe(403)
  })

  test('a file whose bytes are lost is not found, and its row goes', async () => {
    await upload([{ name: 'x', bytes }])
    await platform.deps.storage.delete(hashOf(bytes))
    expect((await get(`/assets/${hashOf(bytes)}/x`)).statusCode).toBe(404)
    expect((await admin.delete(`/api/assets/${hashOf(bytes)}`)).status).toBe(404)
    expect(await platform.db.selectFrom('files').select('hash').where('hash', '=', hashOf(bytes)).execute()).toEqual([])
  })

  test('every kind of reference keeps a file', async () => {
    const hash = hashOf(bytes)
    const uses = [
      () => anAccount(platform.db, { avatarHash: hash }),
      () => aGame(platform.db, { posterHash: hash }),
      () => platform.db.insertInto('settings').values({ key: 'GlobalConfig:LogoHash', value: hash }).execute(),
      () => platform.db.insertInto('settings').values({ key: 'GlobalConfig:FaviconHash', value: hash }).execute(),
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
    for (const [i, use] of uses.entries()) {
      await storeFile(platform.deps, bytes, { name: 'x', max: 1000 })
      await use()
      await releaseFile(platform.deps, hash)
      expect(existsSync(placeOf(hash))).toBe(true)
      await undo[i]!()
      await releaseFile(platform.deps, hash)
      expect(existsSync(placeOf(hash))).toBe(false)
    }
  })

  test('every column that refers to a file is counted', async () => {
    const { rows } = await sql<{ name: string }>`
      select conrelid::regclass::text as name from pg_constraint where contype = 'f' and confrelid = 'files'::regclass order by 1`.execute(
      platform.db,
    )
    // A new one here needs a line in isReferred (files.queries.ts) and in the test above.
    expect(rows.map((row) => row.name)).toEqual(['accounts', 'attachments', 'games', 'teams', 'writeups'])
  })

  test('storing and releasing the same bytes crosswise never leaves a reference without bytes', async () => {
    const gameId = await aGame(platform.db)
    for (let round = 0; round < 10; round++) {
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
