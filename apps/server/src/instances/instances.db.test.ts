import { challengeTypes, hasContainer } from '@vexil/core/vocabulary'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from '../../test/builders/game.ts'
import { type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin' }))
})
afterAll(() => platform.stop())

/** Codes of creating, extending and destroying. */
async function codesOf(call: Caller, game: number, challenge: number) {
  const path = `/api/game/${game}/container/${challenge}`
  return [
    (await call.post(path)).error.code,
    (await call.post(`${path}/extend`)).error.code,
    (await call.delete(path)).error.code,
  ]
}

test('without an engine a container challenge says that there are no containers; other types have none at all', async () => {
  const game = await aGame(platform.db)
  const team = await aTeam(platform.db)
  await aParticipation(platform.db, game, team)
  const call = await platform.as(team.captain)
  for (const type of challengeTypes) {
    const challenge = await aChallenge(platform.db, game, { type, containerImage: 'image' })
    expect(await codesOf(call, game, challenge)).toEqual(
      hasContainer(type)
        ? ['container.unavailable', 'container.none', 'container.none']
        : ['challenge.no_container', 'challenge.no_container', 'challenge.no_container'],
    )
  }
})

test('the gate comes before every call on a container', async () => {
  const game = await aGame(platform.db)
  const challenge = await aChallenge(platform.db, game, { type: 'StaticContainer' })
  const off = await aChallenge(platform.db, game, { type: 'StaticContainer', enabled: false })
  const team = await aTeam(platform.db)
  const participation = await aParticipation(platform.db, game, team, { status: 'Pending' })
  const call = await platform.as(team.captain)
  const all = (code: string) => [code, code, code]
  expect(await codesOf(platform.anyone, game, challenge)).toEqual(all('auth.required'))
  expect(await codesOf(call, 999_999, challenge)).toEqual(all('game.not_found'))
  expect(await codesOf(admin, game, challenge)).toEqual(all('participation.none'))
  expect(await codesOf(call, game, challenge)).toEqual(all('participation.not_accepted'))
  await admin.put(`/api/admin/participation/${participation}/Accepted`)
  for (const id of [off, 0, 999_999]) expect(await codesOf(call, game, id)).toEqual(all('challenge.not_found'))
  await platform.db
    .updateTable('games')
    .set({ endsAt: new Date(Date.now() - 1000), practiceMode: false })
    .where('id', '=', game)
    .execute()
  expect(await codesOf(call, game, challenge)).toEqual(all('game.ended'))
})

test('a test container needs a container type and an image, then an engine', async () => {
  const game = await aGame(platform.db)
  const make = (options: Parameters<typeof aChallenge>[2]) => aChallenge(platform.db, game, options)
  const path = (challenge: number, of = game) => `/api/edit/games/${of}/challenges/${challenge}/container`
  const code = async (url: string) => (await admin.post(url)).error.code
  const whole = await make({ type: 'StaticContainer', containerImage: 'image' })
  expect(await code(path(whole, 999_999))).toBe('game.not_found')
  expect(await code(path(999_999))).toBe('challenge.not_found')
  expect(await code(path(await make({})))).toBe('challenge.no_container')
  expect(await code(path(await make({ type: 'DynamicContainer' })))).toBe('challenge.image_missing')
  expect(await code(path(whole))).toBe('container.unavailable')
  expect(await admin.delete(path(whole))).toMatchObject({ status: 200, body: '' })
  expect((await admin.delete(path(999_999))).status).toBe(404)
})
