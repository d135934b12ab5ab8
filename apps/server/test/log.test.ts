/** Acts of administrators are in the log, with the actor and the object; secrets are not. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { aPng } from './builders/images.ts'
import { type Caller, startTestPlatform, type TestPlatform } from './platform.ts'

let platform: TestPlatform
let admin: Caller
let from = 0
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Root' }))
})
afterAll(() => platform.stop())

const entries = async () => {
  await platform.deps.log.flush()
  return platform.db.selectFrom('logs').selectAll().where('id', '>', from).orderBy('id').execute()
}
beforeEach(async () => {
  from = (await entries()).at(-1)?.id ?? from
})

/** Messages since the beginning of the test; each must be a success of the administrator from the test's own address. */
async function lines(): Promise<string[]> {
  const rows = (await entries()).filter(({ name }) => name !== 'System')
  for (const row of rows) expect(row).toMatchObject({ level: 'Information', status: 'Success', name: 'Root', ip: '127.0.0.1' })
  return rows.map(({ message }) => message)
}

test('games are created, changed, given a poster and deleted', async () => {
  const times = { start: '2030-01-01T00:00:00Z', end: '2030-01-02T00:00:00Z', inviteCode: 'secret code' }
  const { id } = (await admin.post('/api/edit/games', { title: 'Regatta', ...times })).body
  const game = `/api/edit/games/${id}`
  await admin.put(game, { title: 'Regatta', ...times })
  await admin.upload('PUT', `${game}/poster`, 'file', [{ name: 'a.png', bytes: await aPng() }])
  await admin.delete(game)
  const messages = await lines()
  expect(messages).toEqual([
    `Created game Regatta (#${id})`,
    `Changed game Regatta (#${id})`,
    `Changed the poster of Regatta (#${id})`,
    `Deleted game Regatta (#${id})`,
  ])
  expect(messages.join()).not.toContain('secret code')
})

test('notices are published, changed and deleted, and a board is redrawn', async () => {
  const game = `/api/edit/games/${await aGame(platform.db, { title: 'Regatta' })}`
  const { id } = (await admin.post(`${game}/notices`, { content: 'words' })).body
  await admin.put(`${game}/notices/${id}`, { content: 'other words' })
  await admin.delete(`${game}/notices/${id}`)
  await admin.post(`${game}/challenges/updateaccepted`)
  expect(await lines()).toEqual([
    `Published notice #${id} in Regatta`,
    `Changed notice #${id} of Regatta`,
    `Deleted notice #${id} of Regatta`,
    expect.stringContaining('Recalculated the scoreboard'),
  ])
})

test('participations are reviewed', async () => {
  const participation = await aParticipation(platform.db, await aGame(platform.db), await aTeam(platform.db, { name: 'Gulls' }), {
    status: 'Pending',
  })
  for (const status of ['Accepted', 'Suspended']) await admin.put(`/api/admin/participation/${participation}/${status}`)
  expect(await lines()).toEqual([
    `Set participation of Gulls (#${participation}) to Accepted`,
    `Set participation of Gulls (#${participation}) to Suspended`,
  ])
})

test('files are uploaded and deleted; a missing one is logged as not found', async () => {
  const files = ['one', 'two'].map((text) => ({ name: `${text}.txt`, bytes: Buffer.from(text) }))
  const [one, two] = (await admin.upload('POST', '/api/assets', 'files', files)).body.map(({ hash }: { hash: string }) => hash)
  await admin.delete(`/api/assets/${one}`)
  expect(await lines()).toEqual([
    `Uploaded 2 files: one.txt (${one.slice(0, 8)}), two.txt (${two.slice(0, 8)})`,
    `Deletion of file ${one.slice(0, 8)}`,
  ])
  await admin.delete(`/api/assets/${one}`)
  expect((await entries()).at(-1)).toMatchObject({ status: 'NotFound', name: 'Root' })
})

test('P6.1 P6.10 a call that requires a higher role is logged with its path', async () => {
  const monitor = await platform.as(await anAccount(platform.db, { role: 'Monitor', userName: 'Watcher' }))
  await monitor.get('/api/admin/users?count=7')
  expect((await entries()).at(-1)).toMatchObject({ status: 'Denied', name: 'Watcher', message: 'Refused: /api/admin/users' })
})
