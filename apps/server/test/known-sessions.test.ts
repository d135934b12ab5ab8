/**
 * Two nodes with cached sessions: a writing call never relies on the cache, and a reading call follows within a second when a right is withdrawn at
 * the other node.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { type Nodes, startNodes } from './nodes.ts'

let nodes: Nodes
let admin: string
beforeAll(async () => {
  nodes = await startNodes(2)
  admin = await anAccount(nodes.db, { role: 'Admin' })
})
afterAll(() => nodes.stop())

async function aPlayer() {
  const game = await aGame(nodes.db)
  const challenge = await aChallenge(nodes.db, game)
  const team = await aTeam(nodes.db)
  await aParticipation(nodes.db, game, team)
  const ask = await nodes.as(team.captain)
  const read = async (node: number) => (await ask(node, 'GET', '/api/account/profile')).status
  const submit = (node: number) => ask(node, 'POST', `/api/game/${game}/challenges/${challenge}`, { flag: 'flag{wrong}' })
  // Both nodes have cached the session, the game, the player and the challenge.
  for (const node of [0, 1, 0, 1]) expect([await read(node), (await submit(node)).status]).toEqual([200, 200])
  const stored = async () => (await nodes.db.selectFrom('submissions').select('id').where('gameId', '=', game).execute()).length
  return { id: team.captain, ask, read, submit, stored }
}

test('a logout takes effect at once on its node and for all writes; reads on other nodes end within a second', async () => {
  const [player, neighbour] = [await aPlayer(), await aPlayer()]
  expect((await player.ask(0, 'POST', '/api/account/logout')).status).toBe(200)
  const [submitted, edited] = await Promise.all([
    player.submit(1),
    player.ask(1, 'PUT', '/api/account/update', { bio: 'still here' }),
  ])
  expect([submitted.status, submitted.body.code, edited.status]).toEqual([401, 'auth.required', 401])
  expect([await player.read(0), (await player.submit(0)).status]).toEqual([401, 401])
  await vi.waitFor(async () => expect(await player.read(1)).toBe(401), 1500)
  expect(await player.stored()).toBe(4)
  for (const node of [0, 1]) expect([await neighbour.read(node), (await neighbour.submit(node)).status]).toEqual([200, 200])
})

test('a ban takes effect in the same way', async () => {
  const [player, neighbour] = [await aPlayer(), await aPlayer()]
  const boss = await nodes.as(admin)
  expect((await boss(0, 'PUT', `/api/admin/users/${player.id}`, { role: 'Banned' })).status).toBe(200)
  const refused = await player.submit(1)
  expect([401, 403]).toContain(refused.status)
  expect(await player.stored()).toBe(4)
  expect([401, 403]).toContain(await player.read(0))
  await vi.waitFor(async () => expect([401, 403]).toContain(await player.read(1)), 1500)
  for (const node of [0, 1]) expect(await neighbour.read(node)).toBe(200)
})

test('a refusal is never cached: a new right applies at once on every node', async () => {
  const player = await aPlayer()
  const boss = await nodes.as(admin)
  const watch = async (node: number) => (await player.ask(node, 'GET', '/api/admin/users')).status
  for (const node of [0, 1]) expect(await watch(node)).toBe(403)
  expect((await boss(0, 'PUT', `/api/admin/users/${player.id}`, { role: 'Admin' })).status).toBe(200)
  expect([await watch(1), await watch(0)]).toEqual([200, 200])
  expect((await boss(0, 'PUT', `/api/admin/users/${player.id}`, { role: 'User' })).status).toBe(200)
  expect(await watch(0)).toBe(403)
  expect((await player.ask(1, 'POST', '/api/admin/users', [])).status).toBe(403)
  await vi.waitFor(async () => expect(await watch(1)).toBe(403), 1500)
})

test('a logout and login in the same browser leave only the new session', async () => {
  const player = await aPlayer()
  await nodes.db.deleteFrom('sessions').where('accountId', '=', player.id).execute()
  // The sessions end without a hint, so the next poll reports it.
  await vi.waitFor(async () => expect([await player.read(0), await player.read(1)]).toEqual([401, 401]), 1500)
  const again = await nodes.as(player.id)
  for (const node of [0, 1]) expect((await again(node, 'GET', '/api/account/profile')).status).toBe(200)
  expect([await player.read(0), await player.read(1)]).toEqual([401, 401])
})
