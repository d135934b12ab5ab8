/** The effects of each act on a team: one line in the log, and hints to the caches. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { aPng } from '../../test/builders/images.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
  await anAccount(platform.db, { role: 'Admin' })
})
afterAll(() => platform.stop())

const nameOf = async (id: string) =>
  (await platform.db.selectFrom('accounts').select('userName').where('id', '=', id).executeTakeFirstOrThrow()).userName

/** A team of two in one game, with a caller for each. */
async function aScene() {
  const member = await anAccount(platform.db)
  const team = await aTeam(platform.db, { members: [member], name: 'Pwners' })
  const gameId = await aGame(platform.db)
  const participationId = await aParticipation(platform.db, gameId, team, { status: 'Pending' })
  const { inviteToken } = await platform.db
    .selectFrom('teams')
    .select('inviteToken')
    .where('id', '=', team.id)
    .executeTakeFirstOrThrow()
  return { ...team, member, gameId, participationId, code: `Pwners:${team.id}:${inviteToken}` }
}
type SubmissionContext = Awaited<ReturnType<typeof aScene>>

const roles = {
  captain: (scene: SubmissionContext) => scene.captain,
  member: (scene: SubmissionContext) => scene.member,
  outsider: () => anAccount(platform.db),
  admin: () => anAccount(platform.db, { role: 'Admin' }),
}

test.each<[string, keyof typeof roles, (call: Caller, scene: SubmissionContext) => Promise<{ status: number }>, string[]]>([
  ['joining', 'outsider', (call, { code }) => call.post('/api/team/accept', code), ['Joined team Pwners (ID)']],
  ['leaving', 'member', (call, { id }) => call.post(`/api/team/${id}/leave`), ['Left team Pwners (ID)']],
  [
    'kicking',
    'captain',
    (call, { id, member }) => call.post(`/api/team/${id}/kick/${member}`),
    ['Removed MEMBER from team Pwners (ID)'],
  ],
  [
    'handing on',
    'captain',
    (call, { id, member }) => call.put(`/api/team/${id}/transfer`, { newCaptainId: member }),
    ['Team Pwners (ID) transferred to MEMBER'],
  ],
  ['disbanding', 'captain', (call, { id }) => call.delete(`/api/team/${id}`), ['Team Pwners (ID) disbanded']],
  ['deleting', 'admin', (call, { id }) => call.delete(`/api/admin/teams/${id}`), ['Team Pwners (ID) deleted']],
  [
    'changing everything by an administrator',
    'admin',
    (call, { id }) => call.put(`/api/admin/teams/${id}`, { name: 'Next', bio: 'words', locked: true }),
    ['Changed team Pwners (ID): name => Next, bio, locked'],
  ],
  [
    'changing only the bio',
    'admin',
    (call, { id }) => call.put(`/api/admin/teams/${id}`, { bio: 'words' }),
    ['Changed team Pwners (ID): bio'],
  ],
  [
    'a change by an administrator that changes nothing',
    'admin',
    (call, { id }) => call.put(`/api/admin/teams/${id}`, { name: 'Pwners', locked: false }),
    [],
  ],
  ['a new name by the captain', 'captain', (call, { id }) => call.put(`/api/team/${id}`, { name: 'Next' }), []],
])('%s is logged once, with the actor, and published', async (_name, role, act, lines) => {
  const scene = await aScene()
  const neighbour = await aScene()
  // Of both people, for another team.
  for (const one of [scene.member, scene.captain])
    await aParticipation(platform.db, await aGame(platform.db), await aTeam(platform.db, { members: [one] }))
  const actor = await roles[role](scene)
  const call = await platform.as(actor)
  const received: unknown[] = []
  const stop = [
    platform.deps.bus.subscribe('team.changed', ({ teamId }) => received.push(['team', teamId])),
    platform.deps.bus.subscribe('participation.changed', ({ gameId, participationId, leaverId }) =>
      received.push([gameId, participationId, leaverId]),
    ),
  ]
  await platform.deps.log.flush()
  await platform.db.deleteFrom('logs').execute()

  expect((await act(call, scene)).status).toBe(200)
  await platform.deps.log.flush()
  const written = await platform.db.selectFrom('logs').select(['name', 'status', 'ip', 'message']).execute()
  const names = { ID: String(scene.id), MEMBER: await nameOf(scene.member) }
  const messages = lines.map((line) => line.replace('ID', names.ID).replace('MEMBER', names.MEMBER))
  const name = await nameOf(actor)
  expect(written).toEqual(messages.map((message) => ({ name, status: 'Success', ip: '127.0.0.1', message })))
  const left = lines.some((line) => /Left|Removed/.test(line)) ? [scene.member] : []
  const ended = lines.some((line) => /disbanded|deleted/.test(line)) ? [scene.captain, scene.member] : left
  const events = ended.map((leaver) => [scene.gameId, scene.participationId, leaver])
  await expect.poll(() => received.length).toBe(1 + events.length)
  expect([received[0], received.slice(1).sort()]).toEqual([['team', scene.id], events.sort()])
  for (const end of stop) end()
  expect((await platform.anyone.get(`/api/team/${neighbour.id}`)).body).toMatchObject({
    name: 'Pwners',
    bio: null,
    locked: false,
  })
})

test('a new team is published by id', async () => {
  const neighbour = await aScene()
  const received: number[] = []
  const stop = platform.deps.bus.subscribe('team.changed', ({ teamId }) => received.push(teamId))
  const { body } = await (await platform.as(await anAccount(platform.db))).post('/api/team', { name: 'Gulls' })
  await expect.poll(() => received).toEqual([body.id])
  expect(body.id).not.toBe(neighbour.id)
  stop()
})

test('a new image is logged by the first eight digits of its hash, and the old one is deleted', async () => {
  const scene = await aScene()
  const call = await platform.as(scene.captain)
  const received: number[] = []
  platform.deps.bus.subscribe('team.changed', ({ teamId }) => received.push(teamId))
  const upload = async (width: number): Promise<string> =>
    (
      await call.upload('PUT', `/api/team/${scene.id}/avatar`, 'file', [
        { name: 'a.png', type: 'image/png', bytes: await aPng({ width }) },
      ])
    ).body
  const first = await upload(41)
  await platform.deps.log.flush()
  const hash = first.split('/')[2]?.slice(0, 8)
  const lines = await platform.db.selectFrom('logs').select(['name', 'message']).orderBy('id').execute()
  expect(lines.at(-1)).toEqual({ name: await nameOf(scene.captain), message: `Avatar of team ${scene.id} changed: ${hash}` })
  const second = await upload(43)
  await expect.poll(() => received).toEqual([scene.id, scene.id])
  expect([(await platform.anyone.get(first)).status, (await platform.anyone.get(second)).status]).toEqual([404, 200])
})

test('only the members of the team are listed, in the order in which they joined', async () => {
  const scene = await aScene()
  await aTeam(platform.db, { members: [scene.member] })
  const late = await anAccount(platform.db)
  expect((await (await platform.as(late)).post('/api/team/accept', scene.code)).status).toBe(200)
  const { members } = (await platform.anyone.get(`/api/team/${scene.id}`)).body
  const ids: string[] = members.map(({ id }: { id: string }) => id)
  // The first two joined at nearly the same instant.
  expect([...ids.slice(0, 2).sort(), ...ids.slice(2)]).toEqual([...[scene.captain, scene.member].sort(), late])
  // Of the same instant by id, here not in the order of the rows.
  for (const accountId of ids.toSorted().reverse())
    await platform.db
      .updateTable('teamMembers')
      .set({ joinedAt: new Date(0) })
      .where('teamId', '=', scene.id)
      .where('accountId', '=', accountId)
      .execute()
  const { members: same } = (await platform.anyone.get(`/api/team/${scene.id}`)).body
  expect(same.map(({ id }: { id: string }) => id)).toEqual(ids.toSorted())
})
