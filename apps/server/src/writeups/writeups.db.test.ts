import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { aFile, aGame, anAccount, aParticipation, aTeam, at } from '../../test/builders/game.ts'
import { mustNotWait } from '../../test/must-not-wait.ts'
import { type Answer, type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { listZip } from '../../test/zip.ts'
import { startSession } from '../accounts/sessions.ts'
import { releaseLost } from '../files/release-file.ts'
import { cookieName } from '../http/session-cookie.ts'
import { handInWriteup } from './hand-in-writeup.ts'
import { listWriteups } from './writeups.queries.ts'

let platform: TestPlatform
let admin: Caller
let cookie: string
beforeAll(async () => {
  platform = await startTestPlatform()
  const boss = await anAccount(platform.db, { role: 'Admin', userName: 'boss' })
  admin = await platform.as(boss)
  cookie = `${cookieName}=${await startSession(platform.db, boss)}`
})
afterAll(() => platform.stop())

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const aPdf = (size = 64) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size - 9)])
const isStored = (hash: string) => existsSync(join(platform.dataDir, 'uploads', hash.slice(0, 2), hash.slice(2, 4), hash))
const fileRows = (hash: string) => platform.db.selectFrom('files').selectAll().where('hash', '=', hash).execute()
const writeupsOf = (participationId: number) =>
  platform.db.selectFrom('writeups').selectAll().where('participationId', '=', participationId).execute()
/** The address of the platform, which begins to listen at the first call. */
const listening = async () => {
  if (!platform.app.server.listening) await platform.app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(platform.app.server.address() as AddressInfo).port}`
}
async function* breaking(found: { stream: Readable } | null) {
  for await (const chunk of found?.stream ?? []) {
    yield chunk
    throw new Error('disk lost')
  }
}
/** The path of an open file; it may have been closed in the meantime. */
const linkOf = (fd: string) => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return ''
  }
}
const incoming = () => readdirSync(join(platform.dataDir, 'uploads', 'incoming'))

interface Side {
  game: number
  team: number
  participation: number
  captain: Caller
  mate: Caller
}

async function aSide(game: number, options: Parameters<typeof aParticipation>[3] = {}): Promise<Side> {
  const team = await aTeam(platform.db, { members: [await anAccount(platform.db)] })
  const participation = await aParticipation(platform.db, game, team, options)
  const [captain, mate] = await Promise.all(team.members.map((id) => platform.as(id)))
  return { game, team: team.id, participation, captain: captain as Caller, mate: mate as Caller }
}

const send = (
  who: Caller,
  game: number,
  bytes: Buffer,
  { name = 'paper.pdf', type = 'application/pdf', part = 'file' }: { name?: string; type?: string; part?: string } = {},
): Promise<Answer> => who.upload('POST', `/api/game/${game}/writeup`, part, [{ name, type, bytes }])

let game: number
let side: Side
beforeEach(async () => {
  game = await aGame(platform.db, { title: 'Open: Sea/Side', writeupRequired: true, writeupNote: 'One **PDF**.' })
  side = await aSide(game)
})

describe('a team’s writeup', () => {
  test('P3.14 P7.86 P4.23 without one it is unsubmitted, with note and deadline', async () => {
    const { status, body } = await side.captain.get(`/api/game/${game}/writeup`)
    expect(status).toBe(200)
    const { writeupDeadline } = (await admin.get(`/api/edit/games/${game}`)).body
    expect(body).toEqual({ submitted: false, name: '#', fileSize: 0, note: 'One **PDF**.', writeupDeadline, url: null })
  })

  test('P7.87 P7.86 P4.23 a PDF is submitted and stored under a generated name', async () => {
    const pdf = aPdf(1000)
    const answer = await send(side.captain, game, pdf, { name: '../my paper.pdf' })
    expect([answer.status, answer.body]).toEqual([200, ''])
    const { body } = await side.mate.get(`/api/game/${game}/writeup`)
    expect(body).toMatchObject({ submitted: true, fileSize: 1000 })
    expect(body.name).toMatch(new RegExp(`^Writeup-${game}-${side.team}-\\d{8}-\\d\\d\\.\\d\\d\\.\\d\\dZ\\.pdf$`))
    const [, day, clock] = /-(\d{8})-([\d.]{8})Z/.exec(body.name) ?? []
    const named = Date.parse(`${day?.replace(/(....)(..)(..)/, '$1-$2-$3')}T${clock?.replaceAll('.', ':')}Z`)
    expect(Math.abs(named - Date.now())).toBeLessThan(60_000)
    expect(body.url).toBe(`/assets/${hashOf(pdf)}/${body.name}`)
    expect(await fileRows(hashOf(pdf))).toMatchObject([{ type: 'application/pdf', size: 1000, pinned: false }])
    await platform.deps.log.flush()
    const logged = await platform.db.selectFrom('logs').selectAll().where('message', 'like', '%submitted a writeup%').execute()
    expect(logged.at(-1)).toMatchObject({ level: 'Information', status: 'Success' })
  })

  test('P7.87 a new one replaces it, and the previous file is deleted', async () => {
    const [first, second] = [aPdf(), aPdf()]
    await send(side.captain, game, first)
    const earlier = at('-10m')
    await platform.db
      .updateTable('writeups')
      .set({ uploadedAt: earlier })
      .where('participationId', '=', side.participation)
      .execute()
    await send(side.mate, game, second)
    const [writeup] = await writeupsOf(side.participation)
    expect(writeup?.fileHash).toBe(hashOf(second))
    expect(Math.abs((writeup?.uploadedAt.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
    await releaseLost(platform.deps)
    expect([isStored(hashOf(first)), isStored(hashOf(second))]).toEqual([false, true])
    expect(await fileRows(hashOf(first))).toEqual([])
    await send(side.mate, game, second)
    expect(isStored(hashOf(second))).toBe(true)
  })

  test('P7.87 two teams submit the same bytes: each keeps its name, and deleting one does not affect the other', async () => {
    const other = await aSide(game)
    const pdf = aPdf()
    await send(side.captain, game, pdf)
    await send(other.captain, game, pdf)
    for (const { captain, team } of [side, other])
      expect((await captain.get(`/api/game/${game}/writeup`)).body.name).toMatch(new RegExp(`^Writeup-${game}-${team}-\\d{8}-`))
    // A team does not wait for the upload or the review of another.
    const busy = `select from participations where id = ${other.participation} for update`
    expect((await mustNotWait(platform, busy, () => send(side.captain, game, aPdf()))).status).toBe(200)
    expect(isStored(hashOf(pdf))).toBe(true)
  })

  test('P7.87 members submit concurrently: one writeup stays, no file is lost and none is left over', async () => {
    for (let round = 0; round < 5; round++) {
      const pdfs = Array.from({ length: 4 }, () => aPdf(50_000))
      const answers = await Promise.all(pdfs.map((pdf, i) => send(i % 2 ? side.mate : side.captain, game, pdf)))
      expect(answers.map(({ status }) => status)).toEqual(Array(4).fill(200))
      const [kept, ...more] = await writeupsOf(side.participation)
      expect(more).toEqual([])
      await releaseLost(platform.deps)
      const hashes = pdfs.map(hashOf)
      expect(hashes.filter(isStored)).toEqual([kept?.fileHash])
      expect((await platform.db.selectFrom('files').select('hash').where('hash', 'in', hashes).execute()).length).toBe(1)
    }
    const same = aPdf()
    const answers = await Promise.all([send(side.captain, game, same), send(side.mate, game, same)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(isStored(hashOf(same))).toBe(true)
    expect(incoming()).toEqual([])
  })
})

describe('refusals', () => {
  /** Nothing was stored and the writeup is unchanged. */
  async function refused(answer: Answer, code: string, http: number, bytes?: Buffer) {
    expect([answer.status, answer.error.status, answer.error.code]).toEqual([http, http, code])
    if (bytes) expect([isStored(hashOf(bytes)), await fileRows(hashOf(bytes))]).toEqual([false, []])
    expect(await writeupsOf(side.participation)).toEqual([])
    expect(incoming()).toEqual([])
  }

  test('P7.87 no file, an empty one', async () => {
    await refused(await send(side.captain, game, aPdf(), { part: 'other' }), 'file.missing', 400)
    await refused(await side.captain.upload('POST', `/api/game/${game}/writeup`, 'file', []), 'file.missing', 400)
    await refused(await send(side.captain, game, Buffer.alloc(0)), 'file.empty', 400, Buffer.alloc(0))
  })

  test('P9.3 P5.11 20 MiB are accepted, one byte more is refused', async () => {
    const most = 20 * 1024 * 1024
    const tooLarge = aPdf(most + 1)
    await refused(await send(side.captain, game, tooLarge), 'file.too_large', 400, tooLarge)
    const far = aPdf(most + 5_000_000)
    await refused(await send(side.captain, game, far), 'file.too_large', 400, far)
    expect((await send(side.captain, game, aPdf(most))).status).toBe(200)
  })

  test.each([
    ['another media type', { type: 'application/octet-stream' }, true],
    ['a longer media type', { type: 'application/pdfx' }, true],
    ['another ending', { name: 'paper.txt' }, true],
    ['an uppercase extension', { name: 'paper.PDF' }, true],
    ['content that is not a PDF', {}, false],
  ])('P5.11 %s', async (_, options, real) => {
    const bytes = real ? aPdf() : Buffer.from('<html>%PDF-1.7 is what it says')
    await refused(await send(side.captain, game, bytes, options), 'writeup.not_pdf', 400, bytes)
  })

  test('P7.87 a refusal is the same when the bytes cannot be removed, which is reported', async () => {
    const { storage, onError } = platform.deps
    const [real, faults] = [storage.delete, [] as unknown[]]
    Object.assign(platform.deps, { onError: (error: unknown) => faults.push(error) })
    storage.delete = () => Promise.reject(new Error('disk lost'))
    const bytes = Buffer.from('no PDF')
    try {
      expect((await send(side.captain, game, bytes)).error.code).toBe('writeup.not_pdf')
    } finally {
      storage.delete = real
      Object.assign(platform.deps, { onError })
    }
    expect(faults).toMatchObject([{ message: 'disk lost' }])
    await storage.delete(hashOf(bytes))
  })

  test('P7.87 P7.86 the checks: game, participation, acceptance, start', async () => {
    const pdf = aPdf()
    const none = 2_000_000_000
    const stranger = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
    const early = await aSide(await aGame(platform.db, { writeupRequired: true, starts: '1h', ends: '2h' }))
    const cases: [Caller, number, string, number][] = [
      [side.captain, none, 'game.not_found', 404],
      [stranger, game, 'participation.none', 400],
      [(await aSide(game, { status: 'Pending' })).captain, game, 'participation.not_accepted', 400],
      [(await aSide(game, { status: 'Rejected' })).captain, game, 'participation.not_accepted', 400],
      [(await aSide(game, { status: 'Suspended' })).captain, game, 'participation.suspended', 400],
      [early.captain, early.game, 'game.not_started', 400],
    ]
    for (const [who, id, code, http] of cases) {
      await refused(await send(who, id, pdf), code, http, pdf)
      await refused(await who.get(`/api/game/${id}/writeup`), code, http)
    }
    expect((await platform.anyone.get(`/api/game/${game}/writeup`)).status).toBe(401)
    await refused(await send(platform.anyone, game, pdf), 'auth.required', 401, pdf)
  })

  test('P3.14 P7.87 a game without writeups, also after the deadline; reading it works', async () => {
    const unwanted = await aSide(await aGame(platform.db, { writeupDeadline: at('-1m') }))
    const pdf = aPdf()
    await refused(await send(unwanted.captain, unwanted.game, pdf), 'writeup.not_wanted', 400, pdf)
    expect((await unwanted.captain.get(`/api/game/${unwanted.game}/writeup`)).body.submitted).toBe(false)
  })

  test('P8.17 P5.12 P4.24 the deadline decides, for a running game and one that has ended without practice', async () => {
    const pdf = aPdf()
    const late = await aSide(await aGame(platform.db, { writeupRequired: true, writeupDeadline: at('-1s') }))
    await refused(await send(late.captain, late.game, pdf), 'writeup.deadline_passed', 400, pdf)
    const ended = { starts: '-2h', ends: '-1h', practiceMode: false, writeupRequired: true }
    const open = await aSide(await aGame(platform.db, { ...ended, writeupDeadline: at('1h') }), { madeAt: '-90m' })
    expect((await open.captain.get(`/api/game/${open.game}/writeup`)).status).toBe(200)
    expect((await send(open.captain, open.game, pdf)).status).toBe(200)
  })

  test('P7.87 access is checked before the file, and its size before its format', async () => {
    const late = await aSide(await aGame(platform.db, { writeupRequired: true, writeupDeadline: at('-1s') }))
    await refused(await send(late.captain, late.game, Buffer.from('no PDF')), 'writeup.deadline_passed', 400)
    await refused(await send(side.captain, 2_000_000_000, Buffer.alloc(0)), 'game.not_found', 404)
    const large = Buffer.alloc(20 * 1024 * 1024 + 1)
    await refused(await send(side.captain, game, large, { name: 'x.txt' }), 'file.too_large', 400, large)
  })

  test('P7.87 access is checked again after the upload: a team that was suspended in the meantime is refused', async () => {
    const captain = await anAccount(platform.db)
    const participation = await aParticipation(platform.db, game, await aTeam(platform.db, { captain }))
    const bytes = aPdf()
    async function* suspending() {
      yield bytes.subarray(0, 9)
      await platform.db.updateTable('participations').set({ status: 'Suspended' }).where('id', '=', participation).execute()
      yield bytes.subarray(9)
    }
    const file = { fileName: 'paper.pdf', type: 'application/pdf', stream: Readable.from(suspending()) }
    const handedIn = handInWriteup(platform.deps, { gameId: game, file, by: { id: captain, userName: 'captain', ip: '::1' } })
    await expect(handedIn).rejects.toMatchObject({ code: 'participation.suspended' })
    expect([await writeupsOf(participation), isStored(hashOf(bytes)), await fileRows(hashOf(bytes))]).toEqual([[], false, []])
  })

  test('P7.87 a team suspended during the upload is either accepted or refused completely', async () => {
    for (let round = 0; round < 6; round++) {
      const one = await aSide(game)
      const pdf = aPdf()
      const suspend = () => admin.put(`/api/admin/participation/${one.participation}/Suspended`)
      const [first, second] =
        round % 2 ? [suspend, () => send(one.captain, game, pdf)] : [() => send(one.captain, game, pdf), suspend]
      const answers = await Promise.all([first(), second()])
      const answer = answers[round % 2] as Answer
      if (answer.status !== 200) expect(answer.error.code).toBe('participation.suspended')
      expect((await writeupsOf(one.participation)).length).toBe(answer.status === 200 ? 1 : 0)
      expect(isStored(hashOf(pdf))).toBe(answer.status === 200)
    }
  })
})

describe('read access', () => {
  test('P5.11 P7.41 only its team and administrators, even when others know the URL', async () => {
    const pdf = aPdf()
    await send(side.captain, game, pdf)
    const url = `/assets/${hashOf(pdf)}/paper.pdf`
    const other = await aSide(game)
    const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
    for (const who of [other.captain, monitor, platform.anyone]) {
      const answer = await who.get(url)
      expect([answer.status, answer.error.code]).toEqual([404, 'file.not_found'])
    }
    for (const who of [side.captain, side.mate, admin]) {
      const { status, headers } = await who.get(url)
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'content-type': 'application/pdf',
        'cache-control': 'private, no-cache',
        'content-security-policy': 'sandbox',
      })
      expect(headers['content-disposition']).toMatch(/^attachment;/)
    }
    // The other team has uploaded the same file, so it may read it as well.
    await send(other.captain, game, pdf)
    expect((await other.mate.get(url)).status).toBe(200)
  })

  test('P7.41 every member of its team, also without a registration for the game; not a former member', async () => {
    const [joined, left] = [await anAccount(platform.db), await anAccount(platform.db)]
    await platform.db
      .insertInto('teamMembers')
      .values([joined, left].map((accountId) => ({ teamId: side.team, accountId })))
      .execute()
    const pdf = aPdf()
    await send(side.captain, game, pdf)
    const url = `/assets/${hashOf(pdf)}/paper.pdf`
    const status = async (id: string) => (await (await platform.as(id)).get(url)).status
    expect([await status(joined), await status(left)]).toEqual([200, 200])
    await platform.db.deleteFrom('teamMembers').where('accountId', '=', left).execute()
    expect([await status(joined), await status(left)]).toEqual([200, 404])
  })

  test('P7.41 bytes that are also public stay readable without a login', async () => {
    const pdf = aPdf()
    await send(side.captain, game, pdf)
    await admin.upload('POST', '/api/assets', 'files', [{ name: 'rules.pdf', bytes: pdf }])
    const { status, headers } = await platform.anyone.get(`/assets/${hashOf(pdf)}/rules.pdf`)
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=604800, immutable'])
  })
})

describe('for administrators', () => {
  test('P7.30 the writeups of a game are listed newest first', async () => {
    const [second, without] = [await aSide(game), await aSide(game)]
    const pdf = aPdf()
    await send(side.captain, game, aPdf())
    await send(second.captain, game, pdf)
    const beside = await aSide(await aGame(platform.db, { writeupRequired: true }))
    await send(beside.captain, beside.game, aPdf())
    const avatarHash = await aFile(platform.db)
    const avatar = `/assets/${avatarHash}/avatar`
    await platform.db
      .updateTable('teams')
      .set({ name: 'Second', bio: 'words', avatarHash, locked: true })
      .where('id', '=', second.team)
      .execute()
    const { status, body } = await admin.get(`/api/admin/writeups/${game}`)
    expect(status).toBe(200)
    expect(body.map(({ id }: { id: number }) => id)).toEqual([second.participation, side.participation])
    expect(body.some(({ id }: { id: number }) => id === without.participation)).toBe(false)
    const { name } = (await second.captain.get(`/api/game/${game}/writeup`)).body
    expect(body[0]).toEqual({
      id: second.participation,
      url: `/assets/${hashOf(pdf)}/${name}`,
      team: { id: second.team, name: 'Second', bio: 'words', avatar, locked: true, members: null },
      uploadTimeUtc: expect.stringMatching(/\+00:00$/),
    })
    expect(Date.parse(body[0].uploadTimeUtc)).toBeGreaterThan(Date.now() - 60_000)
    const missing = await admin.get('/api/admin/writeups/2000000000')
    expect([missing.status, missing.error.code]).toEqual([404, 'game.not_found'])
    const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor' }))
    expect((await monitor.get(`/api/admin/writeups/${game}`)).status).toBe(403)
    // Those of the same time are listed by participation, the newest first.
    await send(without.captain, game, aPdf())
    await platform.db
      .updateTable('writeups')
      .set({ uploadedAt: at('-1m') })
      .execute()
    const ids = async () => (await admin.get(`/api/admin/writeups/${game}`)).body.map(({ id }: { id: number }) => id)
    const [first, middle, last] = [side, second, without].map(({ participation }) => participation)
    expect(await ids()).toEqual([last, middle, first])
    const later = platform.db.updateTable('writeups').set({ uploadedAt: at('-1s') })
    await later.where('participationId', '=', side.participation).execute()
    expect(await ids()).toEqual([first, last, middle])
  })

  test('P7.30 the newest 10,000 are listed', async () => {
    const rollback = new Error('rollback')
    const file = await aFile(platform.db)
    const listed = platform.db.transaction().execute(async (tx) => {
      // Without the accounts of the captains.
      await sql`set local session_replication_role = replica`.execute(tx)
      await sql`
        with t as (
          insert into teams (name, invite_token, captain_id)
          select 'many', '', gen_random_uuid() from generate_series(1, 10001) returning id
        ), p as (
          insert into participations (game_id, team_id, token) select ${game}, id, '' from t returning id
        )
        insert into writeups (participation_id, file_hash, file_name, uploaded_at)
        select id, ${file}, 'x.pdf', now() - make_interval(secs => id) from p`.execute(tx)
      const rows = await listWriteups(tx, game)
      expect(rows).toHaveLength(10_000)
      expect(Number(rows.at(-1)?.participationId) - Number(rows[0]?.participationId)).toBe(9_999)
      throw rollback
    })
    await expect(listed).rejects.toBe(rollback)
  })

  test('P7.31 all writeups are in one archive, with names that are not paths; lost bytes are skipped', async () => {
    const sides = [side, await aSide(game), await aSide(game)]
    const pdfs = sides.map(() => aPdf(100_000))
    for (const [i, one] of sides.entries()) await send(one.captain, game, pdfs[i] as Buffer)
    await platform.deps.storage.delete(hashOf(pdfs[1] as Buffer))
    // In local time, as in an archive.
    const uploadedAt = new Date(2026, 2, 1, 10, 20, 30)
    await platform.db.updateTable('writeups').set({ uploadedAt }).where('participationId', '=', sides[0]!.participation).execute()
    const reply = await platform.app.inject({ url: `/api/admin/writeups/${game}/all`, headers: { cookie } })
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'application/zip'])
    expect(reply.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
    const [, folder] =
      /filename="(Writeups-Open_ Sea_Side-\d{8}-[\d.]{8}Z)\.zip"/.exec(String(reply.headers['content-disposition'])) ?? []
    const stamp = folder?.replace(/^.*-(....)(..)(..)-(..)\.(..)\.(..)Z$/, '$1-$2-$3T$4:$5:$6Z')
    expect(Math.abs(Date.parse(String(stamp)) - Date.now())).toBeLessThan(60_000)
    const entries = listZip(reply.rawPayload)
    const nameOf = async ({ captain }: Side) => (await captain.get(`/api/game/${game}/writeup`)).body.name as string
    const names = await Promise.all([sides[2], sides[0]].map((one) => nameOf(one as Side)))
    expect(entries.map(({ name }) => name)).toEqual(names.map((name) => `${folder}/${name}`))
    expect(entries.map(({ bytes }) => hashOf(bytes))).toEqual([pdfs[2], pdfs[0]].map((pdf) => hashOf(pdf as Buffer)))
    expect(entries[1]?.time).toEqual(uploadedAt)
    expect(entries[0]?.time).not.toEqual(uploadedAt)
    await platform.deps.log.flush()
    const message = `The content of ${await nameOf(sides[1] as Side)} is missing`
    const lost = await platform.db.selectFrom('logs').selectAll().where('message', 'like', 'The content of %').execute()
    expect(lost).toEqual([expect.objectContaining({ level: 'Warning', status: 'NotFound', name: 'System', message })])
    const missing = await admin.get('/api/admin/writeups/2000000000/all')
    expect([missing.status, missing.error.code]).toEqual([404, 'game.not_found'])
  })

  test('P7.31 an archive that fails is aborted, not completed as if it were whole', async () => {
    await send(side.captain, game, aPdf(1_000_000))
    const { storage, onError } = platform.deps
    const real = storage.get
    const faults: unknown[] = []
    Object.assign(platform.deps, { onError: (error: unknown) => faults.push(error) })
    storage.get = async (hash) => ({ size: 1, stream: Readable.from(breaking(await real(hash))) })
    const address = await listening()
    const answer = await fetch(`${address}/api/admin/writeups/${game}/all`, { headers: { cookie } })
    await expect(answer.arrayBuffer()).rejects.toThrow()
    storage.get = real
    Object.assign(platform.deps, { onError })
    expect(faults).toMatchObject([{ message: 'disk lost' }])
  })

  test('P7.31 without writeups the archive is empty; a client that disconnects leaves no file open', async () => {
    const empty = await platform.app.inject({ url: `/api/admin/writeups/${game}/all`, headers: { cookie } })
    expect([empty.statusCode, listZip(empty.rawPayload)]).toEqual([200, []])
    const pdf = aPdf(20 * 1024 * 1024)
    await send(side.captain, game, pdf)
    const address = await listening()
    await new Promise<void>((done, failed) => {
      const request = get(`${address}/api/admin/writeups/${game}/all`, { headers: { cookie } }, (answer) =>
        answer.once('data', () => {
          request.destroy()
          done()
        }),
      )
      request.on('error', failed)
    })
    const stored = hashOf(pdf)
    const open = () =>
      readdirSync('/proc/self/fd')
        .map(linkOf)
        .filter((link) => link.includes(stored))
    // The file may be opened only after the reader has disconnected, so it counts as closed when it stays closed for half a second.
    let quiet = 0
    for (let tries = 0; tries < 1000 && quiet < 25; tries++) {
      quiet = open().length > 0 ? 0 : quiet + 1
      await sleep(20)
    }
    expect(quiet).toBe(25)
  })

  test('P7.63 all writeups of a game are deleted with their files, only of this game', async () => {
    const [second, other] = [await aSide(game), await aSide(await aGame(platform.db, { writeupRequired: true }))]
    const [own, kept] = [aPdf(), aPdf()]
    await send(side.captain, game, own)
    await send(second.captain, game, aPdf())
    await send(other.captain, other.game, kept)
    const { total } = await platform.db
      .selectFrom('writeups as w')
      .innerJoin('participations as p', 'p.id', 'w.participationId')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('p.gameId', '=', game)
      .executeTakeFirstOrThrow()
    expect(Number(total)).toBeGreaterThan(1)
    const { status, body } = await admin.delete(`/api/edit/games/${game}/writeups`)
    expect([status, body]).toEqual([200, ''])
    expect((await side.captain.get(`/api/game/${game}/writeup`)).body.submitted).toBe(false)
    await releaseLost(platform.deps)
    expect([isStored(hashOf(own)), isStored(hashOf(kept))]).toEqual([false, true])
    await platform.deps.log.flush()
    const logged = await platform.db.selectFrom('logs').selectAll().where('message', 'like', 'Deleted all writeups%').execute()
    expect(logged.at(-1)).toMatchObject({ level: 'Information', status: 'Success', name: 'boss' })
    expect(logged.at(-1)?.message).toMatch(new RegExp(`^Deleted all writeups \\(${total}\\) of .+ \\(#${game}\\)$`))
    const missing = await admin.delete('/api/edit/games/2000000000/writeups')
    expect([missing.status, missing.error.code]).toEqual([404, 'game.not_found'])
  })
})

describe('deletion', () => {
  test.each([
    [
      'its last member leaves the game',
      async (one: Side) => {
        await platform.db.updateTable('participations').set({ status: 'Pending' }).where('id', '=', one.participation).execute()
        for (const who of [one.captain, one.mate]) expect((await who.delete(`/api/game/${one.game}`)).status).toBe(200)
      },
    ],
    [
      'its team is disbanded',
      async (one: Side) => {
        await platform.db.updateTable('participations').set({ status: 'Rejected' }).where('id', '=', one.participation).execute()
        expect((await one.captain.delete(`/api/team/${one.team}`)).status).toBe(200)
      },
    ],
    [
      'its game is deleted',
      async (one: Side) => {
        expect((await admin.delete(`/api/edit/games/${one.game}`)).status).toBe(200)
      },
    ],
  ])('P4.10 P4.23 it is deleted when %s, and its file is released after the commit', async (_, end) => {
    const pdf = aPdf()
    await send(side.captain, game, pdf)
    await end(side)
    expect(await writeupsOf(side.participation)).toEqual([])
    await releaseLost(platform.deps)
    expect([isStored(hashOf(pdf)), await fileRows(hashOf(pdf))]).toEqual([false, []])
    expect(await platform.db.selectFrom('releasedFiles').selectAll().execute()).toEqual([])
  })
})
