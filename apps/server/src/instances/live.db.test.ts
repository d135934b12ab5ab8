/** Messages about instances: members receive those of their own team, monitors receive all, others none. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { listenAt } from '../../test/hub.ts'
import { openMemoryEngine } from '../../test/memory-engine.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { startSession } from '../accounts/sessions.ts'
import { cookieName } from '../http/session-cookie.ts'

const engine = openMemoryEngine()
let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform({}, engine)
  await anAccount(platform.db, { role: 'Admin' })
})
afterAll(() => platform.stop())

test('CD-14 members receive the start and the end of their instance, other teams and visitors do not; monitors receive the events', async () => {
  const game = await aGame(platform.db)
  const mate = await anAccount(platform.db)
  const red = await aTeam(platform.db, { members: [mate], name: 'Red' })
  const blue = await aTeam(platform.db)
  const participation = await aParticipation(platform.db, game, red)
  await aParticipation(platform.db, game, blue)
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'echo', title: 'Task' })
  const monitor = await anAccount(platform.db, { role: 'Monitor' })
  const listen = async (hub: string, account: string | null) =>
    listenAt(
      platform,
      `/hub/${hub}?game=${game}`,
      account === null ? {} : { cookie: `${cookieName}=${await startSession(platform.db, account)}` },
    )
  const [mine, other, visitor, watching] = [
    await listen('user', mate),
    await listen('user', blue.captain),
    await listen('user', null),
    await listen('monitor', monitor),
  ]
  const call = await platform.as(red.captain)
  const path = `/api/game/${game}/container/${challenge}`
  await call.post(path)
  const began = await mine.until('VexilInstances')
  expect(began.argument).toEqual({ gameId: game, challengeId: challenge })
  const captain = (
    await platform.db.selectFrom('accounts').select('userName').where('id', '=', red.captain).executeTakeFirstOrThrow()
  ).userName
  const event = { type: 'ContainerStart', values: [String(challenge), 'Task'], user: captain, team: 'Red' }
  expect((await watching.until('ReceivedGameEvent')).argument).toEqual({ ...event, time: expect.stringMatching(/\+00:00$/) })
  const { id } = await platform.db
    .selectFrom('containers')
    .select('id')
    .where('participationId', '=', participation)
    .executeTakeFirstOrThrow()
  engine.crash(id)
  await platform.instances.sweep()
  await expect.poll(() => mine.received.filter(({ target }) => target === 'VexilInstances')).toHaveLength(2)
  for (const { received } of [other, visitor]) expect(received.filter(({ target }) => target === 'VexilInstances')).toEqual([])
  expect(watching.received.filter(({ target }) => target === 'ReceivedGameEvent')).toHaveLength(1)
  for (const listener of [mine, other, visitor, watching]) listener.close()
})

test('CD-14 members receive an extension by a team member, and another team does not', async () => {
  const game = await aGame(platform.db)
  const mate = await anAccount(platform.db)
  const [red, blue] = [await aTeam(platform.db, { members: [mate] }), await aTeam(platform.db)]
  const participation = await aParticipation(platform.db, game, red)
  await aParticipation(platform.db, game, blue)
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer', containerImage: 'echo' })
  const path = `/api/game/${game}/container/${challenge}`
  const call = await platform.as(red.captain)
  expect((await call.post(path)).status).toBe(200)
  const soon = new Date(Date.now() + 5 * 60_000)
  await platform.db.updateTable('containers').set({ stopsAt: soon }).where('participationId', '=', participation).execute()
  const listen = async (account: string) =>
    listenAt(platform, `/hub/user?game=${game}`, { cookie: `${cookieName}=${await startSession(platform.db, account)}` })
  const [mine, other] = [await listen(mate), await listen(blue.captain)]
  expect((await call.post(`${path}/extend`)).status).toBe(200)
  expect((await mine.until('VexilInstances')).argument).toEqual({ gameId: game, challengeId: challenge })
  // Sent to all after the extension, so an earlier message would have arrived before it.
  platform.deps.bus.publish('notice.changed', { gameId: game })
  await other.until('VexilGame')
  expect(other.received.filter(({ target }) => target === 'VexilInstances')).toEqual([])
  for (const listener of [mine, other]) listener.close()
})

test('a message that cannot be created does not block the next', async () => {
  const game = await aGame(platform.db)
  const team = await aTeam(platform.db)
  const participation = await aParticipation(platform.db, game, team)
  const cookie = `${cookieName}=${await startSession(platform.db, team.captain)}`
  const listener = await listenAt(platform, `/hub/user?game=${game}`, { cookie })
  const say = (challengeId: number, participationId: number) =>
    platform.deps.bus.publish('instance.changed', { gameId: game, challengeId, participationId })
  say(1, Number.NaN)
  say(2, participation)
  expect((await listener.until('VexilInstances')).argument).toEqual({ gameId: game, challengeId: 2 })
  listener.close()
})

test('the image of a challenge is pulled when the challenge is changed and enabled, and a missing image is logged', async () => {
  const admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
  const game = await aGame(platform.db)
  const change = (challenge: number, edit: object) => admin.put(`/api/edit/games/${game}/challenges/${challenge}`, edit)
  const pulled = () => engine.asked.flatMap(({ act, id }) => (act === 'pull' ? [id] : []))
  const before = pulled().length
  const image = (containerImage: string, more: object = {}) =>
    aChallenge(platform.db, game, { type: 'StaticContainer', title: 'Task', containerImage, ...more })
  const off = await image('off:1', { enabled: false })
  await image('neighbour:1')
  for (const challenge of [off, await image('other:1', { type: 'StaticAttachment' }), await image('')])
    expect((await change(challenge, { content: 'new' })).status).toBe(200)
  const wanted = await image('wanted:1', { type: 'DynamicContainer' })
  await change(wanted, { content: 'new' })
  await expect.poll(() => pulled().slice(before)).toEqual(['wanted:1'])
  await change(off, { isEnabled: true })
  await expect.poll(() => pulled().slice(before)).toEqual(['wanted:1', 'off:1'])
  const missing = await image('missing:1')
  await change(missing, { content: 'new' })
  await expect
    .poll(async () => {
      await platform.deps.log.flush()
      return platform.db
        .selectFrom('logs')
        .select(['level', 'status', 'message'])
        .where('message', 'like', 'Could not pull the image%')
        .execute()
    })
    .toEqual([{ level: 'Warning', status: 'Failed', message: `Could not pull the image of Task (#${missing}): No such image` }])
})
