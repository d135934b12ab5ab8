/** Uploads that stall, break off, arrive in large numbers, or whose sender loses the right during the upload. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { uploadLimits } from '@vexil/core/limits'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { startSession } from '../src/accounts/sessions.ts'
import { cookieName } from '../src/http/session-cookie.ts'
import { aGame, anAccount, aParticipation, aTeam, at } from './builders/game.ts'
import { aPng } from './builders/images.ts'
import { checksum } from './checksum.ts'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { type SlowUpload, slowUpload } from './slow-upload.ts'

let platform: TestPlatform
let port: number
let picture: Buffer
beforeAll(async () => {
  platform = await startTestPlatform()
  await anAccount(platform.db, { role: 'Admin' })
  await platform.app.listen({ port: 0, host: '127.0.0.1' })
  platform.app.server.on('request', (request) => requests.push(request))
  port = (platform.app.server.address() as AddressInfo).port
  picture = await aPng({ size: 2_900_000 })
})
afterAll(() => platform.stop())

const open: SlowUpload[] = []
afterEach(() => {
  for (const upload of open.splice(0)) upload.leave()
  requests.length = 0
})

const aPdf = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(900_000)])
const cookieOf = async (account: string) => `${cookieName}=${await startSession(platform.db, account)}`
function begin(line: string, cookie: string, { part = 'file', pdf = false, first = 400_000 } = {}): SlowUpload {
  const file = pdf ? { name: 'a.pdf', type: 'application/pdf', bytes: aPdf } : { bytes: picture }
  const upload = slowUpload({ port, line, cookie, part, first, ...file })
  open.push(upload)
  return upload
}
const incoming = () => readdirSync(join(platform.dataDir, 'uploads', 'incoming'))
const until = (fulfilled: () => boolean) => vi.waitFor(() => expect(fulfilled()).toBe(true))
/** Requests of this test. */
const requests: IncomingMessage[] = []
/** Waits until this many have passed the check of rights and are read. */
const areRead = (count: number) =>
  until(() => requests.filter(({ readableFlowing }) => readableFlowing === true).length === count)
const resident = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024

describe('many uploads of one account', () => {
  test('of 140 stalled avatars two are held; another account, and the player afterwards, are served', async () => {
    const [player, neighbour] = await Promise.all([anAccount(platform.db), anAccount(platform.db)])
    const cookie = await cookieOf(player)
    const before = resident()
    const crowd = Array.from({ length: 140 }, () => begin('PUT /api/account/avatar', cookie, { first: 2_800_000 }))
    const waiting = () => crowd.filter((upload) => !upload.answered())
    await until(() => waiting().length <= uploadLimits.perAccount)
    expect(waiting().length).toBe(2)
    const refused = await Promise.all(crowd.filter((upload) => upload.answered()).map(({ answer }) => answer))
    for (const answer of refused) {
      expect(answer).toMatch(/^HTTP\/1.1 429 /)
      expect(answer).toMatch(/retry-after: \d/i)
      expect(answer).toContain('request.too_many')
    }
    expect(resident() - before).toBeLessThan(150_000_000)

    const other = begin('PUT /api/account/avatar', await cookieOf(neighbour))
    other.finish()
    expect(await other.answer).toMatch(/^HTTP\/1.1 200 /)
    for (const upload of crowd) upload.leave()
    await vi.waitFor(async () => {
      const again = begin('PUT /api/account/avatar', cookie)
      again.finish()
      expect(await again.answer).toMatch(/^HTTP\/1.1 200 /)
    })
  })
})

describe('access is checked before the file is read', () => {
  test('no byte of a writeup is written to disk before access is checked', async () => {
    const game = await aGame(platform.db, { writeupRequired: true })
    const outsider = await anAccount(platform.db)
    const pending = await aTeam(platform.db)
    await aParticipation(platform.db, game, pending, { status: 'Pending' })
    const late = await aGame(platform.db, { writeupRequired: true, writeupDeadline: at('-1s') })
    const team = await aTeam(platform.db)
    await aParticipation(platform.db, late, team)
    for (const [account, id, code] of [
      [outsider, game, 'participation.none'],
      [pending.captain, game, 'participation.not_accepted'],
      [team.captain, late, 'writeup.deadline_passed'],
      [outsider, 2_000_000_000, 'game.not_found'],
    ] as const) {
      const put = vi.spyOn(platform.deps.storage, 'put')
      const upload = begin(`POST /api/game/${id}/writeup`, await cookieOf(account), { pdf: true })
      expect(await upload.answer).toContain(code)
      expect(put).not.toHaveBeenCalled()
      expect(incoming()).toEqual([])
    }
  })

  test.each([
    ['a team’s avatar', 'PUT', (team: number) => `/api/team/${team}/avatar`, 'team.not_captain'],
    ['the avatar of an unknown team', 'PUT', () => '/api/team/2000000000/avatar', 'team.not_found'],
    ['the poster of an unknown game', 'PUT', () => '/api/edit/games/2000000000/poster', 'game.not_found'],
    ['a logo', 'POST', () => '/api/admin/config/logo', 'auth.forbidden'],
    ['a stored file', 'POST', () => '/api/assets', 'auth.forbidden'],
  ])('%s', async (_, method, path, code) => {
    const team = await aTeam(platform.db)
    const role = code === 'game.not_found' ? 'Admin' : 'User'
    const upload = begin(`${method} ${path(team.id)}`, await cookieOf(await anAccount(platform.db, { role })))
    expect(await upload.answer).toContain(code)
  })
})

describe('access that is lost during the upload', () => {
  const setRole = (id: string, role: string) => platform.db.updateTable('accounts').set({ role }).where('id', '=', id).execute()
  const endSessions = (id: string) => platform.db.deleteFrom('sessions').where('accountId', '=', id).execute()

  test.each([
    ['a ban, and an avatar', 'User', 'PUT /api/account/avatar', (id: string) => setRole(id, 'Banned'), 403, {}],
    ['the end of the session, and an avatar', 'User', 'PUT /api/account/avatar', endSessions, 401, {}],
    ['the role, and a logo', 'Admin', 'POST /api/admin/config/logo', (id: string) => setRole(id, 'User'), 403, {}],
    ['the role, and a stored file', 'Admin', 'POST /api/assets', (id: string) => setRole(id, 'Monitor'), 403, { part: 'files' }],
  ] as const)('%s: nothing is stored', async (_, role, line, lose, status, options) => {
    const id = await anAccount(platform.db, { role })
    const upload = begin(line, await cookieOf(id), options)
    await areRead(1)
    await lose(id)
    const before = await checksum(platform.db)
    upload.finish()
    expect(await upload.answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(await checksum(platform.db)).toEqual(before)
    expect(incoming()).toEqual([])
  })

  test('a captain who transfers the team, and a team that is suspended', async () => {
    const game = await aGame(platform.db, { writeupRequired: true })
    const team = await aTeam(platform.db, { members: [await anAccount(platform.db)] })
    const participation = await aParticipation(platform.db, game, team)
    const cookie = await cookieOf(team.captain)
    const avatar = begin(`PUT /api/team/${team.id}/avatar`, cookie)
    const writeup = begin(`POST /api/game/${game}/writeup`, cookie, { pdf: true })
    await areRead(2)
    await platform.db
      .updateTable('teams')
      .set({ captainId: team.members[1] as string })
      .where('id', '=', team.id)
      .execute()
    await platform.db.updateTable('participations').set({ status: 'Suspended' }).where('id', '=', participation).execute()
    avatar.finish()
    writeup.finish()
    expect(await avatar.answer).toContain('team.not_captain')
    expect(await writeup.answer).toContain('participation.suspended')
    expect(await platform.db.selectFrom('writeups').selectAll().where('participationId', '=', participation).execute()).toEqual(
      [],
    )
  })
})

test('P7.39 a form with too many fields is too large, and its file is not kept', async () => {
  const part = (name: string, text: string) => `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${text}\r\n`
  const fields = Array.from({ length: 17 }, (_, i) => part(`name="f${i}"`, 'x'))
  const payload = [part('name="files"; filename="a"', 'bytes'), ...fields, '--b--\r\n'].join('')
  const cookie = await cookieOf(await anAccount(platform.db, { role: 'Admin' }))
  const headers = { cookie, 'content-type': 'multipart/form-data; boundary=b' }
  const answer = await platform.app.inject({ method: 'POST', url: '/api/assets', headers, payload })
  expect(answer.json()).toMatchObject({ status: 413, code: 'request.too_large' })
  expect(await platform.db.selectFrom('files').select('hash').where('name', '=', 'a').execute()).toEqual([])
  expect(incoming()).toEqual([])
})

test('aborted uploads leave nothing behind and cause no server error', async () => {
  const game = await aGame(platform.db, { writeupRequired: true })
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  const admin = await cookieOf(await anAccount(platform.db, { role: 'Admin' }))
  const fault = vi.spyOn(platform.app.log, 'error')
  const [player, captain] = [await cookieOf(await anAccount(platform.db)), await cookieOf(team.captain)]
  const before = await checksum(platform.db)
  const uploads = [
    begin('PUT /api/account/avatar', player),
    begin(`POST /api/game/${game}/writeup`, captain, { pdf: true }),
    begin('POST /api/assets', admin, { part: 'files' }),
    begin('POST /api/admin/config/logo', admin),
  ]
  await until(() => incoming().length === 2)
  expect(incoming().length).toBe(2)
  for (const upload of uploads) upload.leave()
  await until(() => incoming().length === 0)
  expect(incoming()).toEqual([])
  await sleep(100)
  await platform.deps.log.flush()
  expect(fault).not.toHaveBeenCalled()
  expect(await checksum(platform.db)).toEqual(before)
  expect(await platform.db.selectFrom('logs').selectAll().where('level', '=', 'Error').execute()).toEqual([])
})
