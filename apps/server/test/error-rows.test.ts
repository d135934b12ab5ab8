/** Every row of error-rows.tsv: the ordered checks of the interface, each with its status pair and code; nothing is changed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generalCodes, ruleCodes } from '@vexil/contract/codes-of'
import { endpoints } from '@vexil/contract/endpoint'
import { nameOf } from '@vexil/contract/interface'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { inTransaction } from '../src/db/transaction.ts'
import { saveSettings, settingDefaults } from '../src/site/settings.ts'
import { aScene, type Person, people } from './builders/scene.ts'
import { checksum, emptyTables } from './checksum.ts'
import { cases, type Rows } from './error-rows.cases.ts'
import { type Caller, startTestPlatform, type TestPlatform } from './platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
})
let begun = 0
beforeEach(async () => {
  if (begun++ % 10 === 0) await emptyTables(platform.db)
})
afterAll(() => platform.stop())

const rows = readFileSync(join(import.meta.dirname, 'error-rows.tsv'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('call\t'))
  .map((line) => line.split('\t') as [call: string, row: string, check: string, answer: string, code: string])

test('every row has its case, and every case has its row', () => {
  const inTable = rows.map(([call, , check]) => `${call}: ${check}`)
  const written = Object.entries(cases).flatMap(([call, checks]) => Object.keys(checks).map((check) => `${call}: ${check}`))
  expect(written.sort()).toEqual(inTable.sort())
})

/** Codes whose answer leaves traces, or needs a broken part of the platform: the named test provokes them. */
const engine = 'src/instances/play.db.test.ts'
const services = 'src/site/services.db.test.ts'
const proxy = 'src/instances/proxy.db.test.ts'
const provenBy: Readonly<Record<string, string>> = {
  'GET /api/proxy/:guid proxy.not_found': proxy,
  'GET /api/proxy/:guid proxy.too_many_connections': proxy,
  'GET /api/proxy/:guid proxy.address_unknown': proxy,
  'GET /api/proxy/:guid proxy.node_stopping': proxy,
  'GET /api/proxy/:guid proxy.unreachable': proxy,
  'GET /api/proxy/noinst/:guid proxy.not_found': proxy,
  'GET /api/proxy/noinst/:guid proxy.address_unknown': proxy,
  'GET /api/proxy/noinst/:guid proxy.node_stopping': proxy,
  'GET /api/proxy/noinst/:guid proxy.unreachable': proxy,
  'GET /api/proxy/:guid/:name proxy.not_found': proxy,
  'GET /api/proxy/:guid/:name proxy.too_many_connections': proxy,
  'GET /api/proxy/:guid/:name proxy.address_unknown': proxy,
  'GET /api/proxy/:guid/:name proxy.node_stopping': proxy,
  'GET /api/proxy/:guid/:name proxy.unreachable': proxy,
  'GET /api/proxy/noinst/:guid/:name proxy.not_found': proxy,
  'GET /api/proxy/noinst/:guid/:name proxy.address_unknown': proxy,
  'GET /api/proxy/noinst/:guid/:name proxy.node_stopping': proxy,
  'GET /api/proxy/noinst/:guid/:name proxy.unreachable': proxy,
  'POST /api/game/:id/container/:cid container.too_soon': engine,
  'POST /api/game/:id/container/:cid container.already_running': engine,
  'POST /api/game/:id/container/:cid container.limit_reached': engine,
  'POST /api/game/:id/container/:cid container.not_created': engine,
  'POST /api/game/:id/container/:cid container.engine_unreachable': engine,
  'POST /api/game/:id/container/:cid container.image_pending': engine,
  'POST /api/game/:id/container/:cid container.engine_busy': engine,
  'POST /api/game/:id/container/:cid/extend container.too_early_to_extend': engine,
  'DELETE /api/game/:id/container/:cid container.too_soon': engine,
  'DELETE /api/game/:id/container/:cid container.not_destroyed': engine,
  'DELETE /api/admin/instances/:guid container.not_destroyed': engine,
  'GET /api/admin/engine/image container.engine_unreachable': 'src/instances/engine-status.db.test.ts',
  'POST /api/edit/games/:id/challenges/:cid/container container.test_failed': engine,
  'POST /api/edit/games/:id/challenges/:cid/container container.not_destroyed': engine,
  'POST /api/edit/games/:id/challenges/:cid/container container.already_running': engine,
  'DELETE /api/edit/games/:id/challenges/:cid/container container.not_destroyed': engine,
  // Two administrators delete each other, or add the same users, at the same instant; an account is deleted while it makes or joins a team.
  'DELETE /api/admin/users/:userId user.last_admin': 'src/accounts/users.db.test.ts',
  'POST /api/admin/users account.name_taken': 'src/accounts/users.db.test.ts',
  'POST /api/team user.not_found': 'src/teams/teams.db.test.ts',
  'POST /api/team/accept user.not_found': 'src/teams/teams.db.test.ts',
  'POST /api/admin/backup file.disk_full': 'src/backup/download-backup.db.test.ts',
  'DELETE /api/assets/:hash file.not_deleted': 'src/files/files.db.test.ts',
  'DELETE /api/game/captures/:cid/:pid/all file.not_deleted': 'src/instances/common-captures.db.test.ts',
  'DELETE /api/game/captures/:cid/:pid/:file file.not_deleted': 'src/instances/common-captures.db.test.ts',
  'GET /api/game/:id/scoreboardsheet board.not_drawn': 'test/sheets.test.ts',
  'PUT /api/admin/config/mail site.set_by_environment': services,
  'PUT /api/admin/config/captcha site.set_by_environment': services,
  'POST /api/admin/config/captcha/test captcha.secret_refused': services,
  'POST /api/admin/config/captcha/test captcha.not_tested': services,
  'POST /api/admin/mails/test mail.not_sent': 'src/accounts/mails/mails.db.test.ts',
  'POST /api/game/:id/challenges/:cid submission.busy': 'src/submissions/attempts.test.ts',
}

test('the documented codes of a call are the codes of its rows', () => {
  const described = endpoints.flatMap((call) => ruleCodes(call).map((code) => `${nameOf(call)} ${code}`))
  const general = new Set(endpoints.flatMap((call) => generalCodes(call).map((code) => `${nameOf(call)} ${code}`)))
  const proven = new Set(rows.filter(([call]) => call !== 'every call').map(([call, , , , code]) => `${call} ${code}`))
  for (const pair of Object.keys(provenBy)) proven.add(pair)
  expect(described.filter((pair) => !proven.has(pair))).toEqual([])
  const known = new Set(described)
  expect([...proven].filter((pair) => !known.has(pair) && !general.has(pair))).toEqual([])
})

test.each(rows)('%s %s: %s is %s %s', async (call, _row, check, answer, code) => {
  const settings = async (changes: Parameters<Rows['settings']>[0]) => {
    await inTransaction(platform.db, (tx) => saveSettings(tx, changes))
    await platform.deps.settings.reload()
  }
  const s = await aScene(platform)
  const callers = await Promise.all(people.map(async (person) => [person, await s.as(person)] as const))
  const by = Object.fromEntries(callers) as Record<Person, Caller>
  const raw: Rows['raw'] = async (method, url, payload) => {
    const answer = await platform.app.inject({ method, url, payload, headers: { 'content-type': 'application/json' } })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json(), error: answer.json() }
  }
  const storageFails: Rows['storageFails'] = (method, outcome) => {
    const spy = vi.spyOn(platform.deps.storage, method) as unknown as { mockImplementation(answer: () => Promise<unknown>): void }
    spy.mockImplementation(async () => {
      if (outcome instanceof Error) throw outcome
      return outcome
    })
  }
  const noCaptcha = () => void vi.spyOn(platform.deps.captcha, 'verify').mockResolvedValue(false)
  const mailServer = () => void vi.spyOn(platform.deps.mailer, 'configured', 'get').mockReturnValue(true)
  try {
    const send = await cases[call]![check]!({ s, db: platform.db, by, settings, raw, noCaptcha, mailServer, storageFails })
    const before = await checksum(platform.db)
    const { status, error } = await send()
    expect(`${status}/${error?.status} ${error?.code}`).toBe(`${answer} ${code}`)
    expect(error.title.length).toBeGreaterThan(3)
    expect(await checksum(platform.db)).toEqual(before)
  } finally {
    vi.restoreAllMocks()
    await platform.db.deleteFrom('settings').where('key', 'like', 'Services:%').execute()
    await settings(settingDefaults)
  }
})
