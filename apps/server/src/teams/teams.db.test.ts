import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { NotCaptain, TeamNotFound, UserNotFound } from '@vexil/core/rules'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aShuffledTeam, aSolve, aTeam, at } from '../../test/builders/game.ts'
import { aPng, htmlBytes } from '../../test/builders/images.ts'
import { startTestPlatform, type TestPlatform } from '../../test/platform.ts'
import { changeTeamAvatar } from './change-team-avatar.ts'
import { createTeam } from './create-team.ts'
import { acceptInvite } from './invites.ts'
import { updateTeam } from './update-team.ts'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startTestPlatform()
  await anAccount(platform.db, { role: 'Admin' })
})
afterAll(() => platform.stop())

const someone = async () => {
  const id = await anAccount(platform.db)
  return { id, ...(await platform.as(id)) }
}
/** Stores the row of a team behind the others; with statistics the database reads these few rows without an index. */
const storeLast = async (id: number) => {
  await platform.db.updateTable('teams').set({ bio: 'changed' }).where('id', '=', id).execute()
  await sql`analyze teams`.execute(platform.db)
}
const rowOf = (id: number) => platform.db.selectFrom('teams').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
/** A captain and a member as callers. */
const twoInATeam = async () => {
  const [captain, member] = [await someone(), await someone()]
  const team = await aTeam(platform.db, { captain: captain.id, members: [member.id] })
  return { captain, member, team }
}
const codeOf = async (caller: Awaited<ReturnType<typeof someone>>, teamId: number): Promise<string> =>
  (await caller.get(`/api/team/${teamId}/invite`)).body
const lockedInGame = async (
  team: Awaited<ReturnType<typeof aTeam>>,
  game: Parameters<typeof aGame>[1] = {},
  status = 'Accepted',
) => {
  const gameId = await aGame(platform.db, game)
  const participation = await aParticipation(platform.db, gameId, team, { status: status as 'Accepted' })
  await platform.db.updateTable('teams').set({ locked: true }).where('id', '=', team.id).execute()
  return { gameId, participation }
}
const registrationsOf = async (participation: number) =>
  (await platform.db.selectFrom('registrations').select('accountId').where('participationId', '=', participation).execute()).map(
    (row) => row.accountId,
  )
const logged = async (message: string) => {
  await platform.deps.log.flush()
  return platform.db.selectFrom('logs').selectAll().where('message', 'like', `%${message}%`).execute()
}

describe('creating', () => {
  test('P7.103 P1.3 P3.30 P3.32 a user creates a team and becomes its captain and only member', async () => {
    const me = await someone()
    const { status, body } = await me.post('/api/team', { name: ' Pwners ', bio: 'we do' })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'Pwners',
      bio: 'we do',
      avatar: null,
      locked: false,
      members: [{ id: me.id, userName: expect.any(String), bio: '', avatar: null, captain: true }],
    })
    expect(await logged(`Pwners (${body.id}) created`)).toMatchObject([{ level: 'Information', status: 'Success' }])
  })

  test('P5.8 P7.103 a second own team is refused', async () => {
    const { captain } = await twoInATeam()
    const { error } = await captain.post('/api/team', { name: 'Second' })
    expect(error).toMatchObject({ status: 400, code: 'team.already_owned', title: 'Each player may own only one team' })
    // This is checked before the name.
    expect((await captain.post('/api/team', { name: '' })).error.code).toBe('team.already_owned')
  })

  test('P5.8 twenty concurrent requests create one team', async () => {
    const me = await someone()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => me.post('/api/team', { name: `Team ${i}` })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ error }) => error.code === 'team.already_owned')).toHaveLength(19)
    const rows = await platform.db.selectFrom('teams').select('id').where('captainId', '=', me.id).execute()
    const members = await platform.db.selectFrom('teamMembers').selectAll().where('accountId', '=', me.id).execute()
    expect([rows.length, members.length]).toEqual([1, 1])
  })

  test.each([
    ['no name', {}, 'team.name_invalid'],
    ['a null name', { name: null }, 'team.name_invalid'],
    ['an empty name', { name: '' }, 'team.name_invalid'],
    ['a blank name', { name: '   ' }, 'team.name_invalid'],
    ['a name that looks blank', { name: '\u3164' }, 'team.name_invalid'],
    ['a name with a bidirectional character', { name: 'a\u202eb' }, 'team.name_characters'],
    ['a name with a line break', { name: 'a\nb' }, 'team.name_characters'],
    ['a name of 21 characters', { name: 'x'.repeat(21) }, 'request.invalid'],
    ['a bio of 73 characters', { name: 'x', bio: 'x'.repeat(73) }, 'request.invalid'],
  ])('P3.30 P7.103 %s is refused', async (_, body, code) => {
    expect((await (await someone()).post('/api/team', body)).error).toMatchObject({ status: 400, code })
  })

  test('P3.30 names of 20 and bios of 72 characters are accepted, and names need not be unique', async () => {
    const body = { NAME: 'n'.repeat(20), Bio: 'b'.repeat(72) }
    expect((await (await someone()).post('/API/Team/', body)).body).toMatchObject({ name: body.NAME, bio: body.Bio })
    expect((await (await someone()).post('/api/team', body)).status).toBe(200)
  })

  test('P3.30 a name is stored trimmed and in NFC; @ and reserved names are permitted', async () => {
    const names = [
      [' Cafe\u0301\u3000', 'Caf\u00e9'],
      ['H@ckers', 'H@ckers'],
      ['System', 'System'],
    ] as const
    for (const [name, stored] of names) expect((await (await someone()).post('/api/team', { name })).body.name).toBe(stored)
  })

  test('P7.103 a team cannot be created without a login', async () => {
    expect((await platform.anyone.post('/api/team', { name: 'x' })).status).toBe(401)
    const banned = await platform.as(await anAccount(platform.db, { role: 'Banned' }))
    expect((await banned.post('/api/team', { name: 'x' })).status).toBe(403)
  })
})

describe('reading', () => {
  test('P7.105 P3.32 a team is public; exactly one member is its captain', async () => {
    const { captain, member, team } = await twoInATeam()
    const { status, body } = await platform.anyone.get(`/api/team/${team.id}`)
    expect(status).toBe(200)
    expect(body.members.map((one: { id: string }) => one.id).sort()).toEqual([captain.id, member.id].sort())
    expect(body.members.filter((one: { captain: boolean }) => one.captain)).toMatchObject([{ id: captain.id }])
    expect(JSON.stringify(body)).not.toMatch(/realName|stdNumber|email|inviteToken/i)
    const other = await aShuffledTeam(platform.db)
    const listed = (await platform.anyone.get(`/api/team/${other.id}`)).body.members
    expect(listed.map(({ id }: { id: string }) => id)).toEqual(other.listed)
  })

  test('P7.105 an unknown team and an invalid id return 404', async () => {
    expect((await platform.anyone.get('/api/team/999999')).error).toMatchObject({ status: 404, code: 'team.not_found' })
    expect((await platform.anyone.get('/api/team/abc')).error).toMatchObject({ status: 404, code: 'request.not_found' })
    expect((await platform.anyone.get('/api/team/99999999999')).status).toBe(404)
  })

  test('P7.104 the own teams are sorted by id, without teams the list is empty', async () => {
    const me = await someone()
    expect((await me.get('/api/team')).body).toEqual([])
    const first = await aTeam(platform.db, { members: [me.id] })
    const second = await aTeam(platform.db, { captain: me.id })
    await storeLast(first.id)
    expect((await me.get('/api/team')).body.map((team: { id: number }) => team.id)).toEqual([first.id, second.id])
    expect((await platform.anyone.get('/api/team')).status).toBe(401)
  })
})

describe('name and bio', () => {
  test('P7.106 the captain changes both; null or empty keeps the name, an absent bio removes it', async () => {
    const { captain, team } = await twoInATeam()
    const neighbour = await rowOf((await twoInATeam()).team.id)
    const put = async (body: object) => (await captain.put(`/api/team/${team.id}`, body)).body
    expect(await put({ id: 5, name: 'New', bio: 'b', locked: true })).toMatchObject({
      id: team.id,
      name: 'New',
      bio: 'b',
      locked: false,
    })
    expect(await put({ name: '' })).toMatchObject({ name: 'New', bio: null })
    expect(await put({ name: null, bio: 'c' })).toMatchObject({ name: 'New', bio: 'c' })
    expect(await rowOf(neighbour.id)).toEqual(neighbour)
  })

  test('P7.106 P3.30 a new name is normalised, and one with a control character refuses the whole update', async () => {
    const { captain, team } = await twoInATeam()
    expect((await captain.put(`/api/team/${team.id}`, { name: ' Cafe\u0301 ' })).body.name).toBe('Caf\u00e9')
    const { error } = await captain.put(`/api/team/${team.id}`, { name: 'a\u0007b', bio: 'new' })
    expect(error).toMatchObject({ status: 400, code: 'team.name_characters' })
    expect((await captain.get(`/api/team/${team.id}`)).body).toMatchObject({ name: 'Caf\u00e9', bio: null })
  })

  test('P7.106 P3.30 an unknown team returns 400, a member 403, too long a value 400', async () => {
    const { captain, member, team } = await twoInATeam()
    expect((await captain.put('/api/team/999999', { name: 'x' })).error).toMatchObject({ status: 400, code: 'team.unknown' })
    expect((await member.put(`/api/team/${team.id}`, { name: 'x' })).error).toMatchObject({
      status: 403,
      code: 'team.not_captain',
    })
    expect((await captain.put(`/api/team/${team.id}`, { name: 'x'.repeat(21) })).error.status).toBe(400)
    expect((await captain.put(`/api/team/${team.id}`, { bio: 'x'.repeat(73) })).error.status).toBe(400)
  })

  test('P7.106 P3.33 a locked team can be renamed, on boards only once a minute', async () => {
    const { captain, team } = await twoInATeam()
    await captain.put(`/api/team/${team.id}`, { name: 'Alone' })
    await lockedInGame(team)
    const rename = (name: string) => captain.put(`/api/team/${team.id}`, { name })
    // A name from before the team was on a board and other changes do not count.
    await captain.put(`/api/team/${team.id}`, { bio: 'new' })
    expect((await rename('First')).status).toBe(200)
    const second = await rename('Second')
    expect(second.error).toMatchObject({ status: 429, code: 'team.renamed_too_soon' })
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(50)
    // Also on another node.
    const onOtherNode = updateTeam({ db: platform.db, bus: platform.deps.bus }, captain.id, { teamId: team.id, name: 'Second' })
    await expect(onOtherNode).rejects.toThrow('team.renamed_too_soon')
    expect((await captain.put(`/api/team/${team.id}`, { name: 'First', bio: 'still' })).body.bio).toBe('still')
    await platform.db
      .updateTable('teams')
      .set({ renamedAt: at('-1m') })
      .where('id', '=', team.id)
      .execute()
    expect((await rename('Third')).body.name).toBe('Third')
    expect((await rename('Fourth')).status).toBe(429)
  })

  test('P7.106 a team on no board can be renamed at any rate', async () => {
    const { captain, team } = await twoInATeam()
    for (const name of ['First', 'Second', 'Third'])
      expect((await captain.put(`/api/team/${team.id}`, { name })).body.name).toBe(name)
  })

  test('a name stored on a database retry counts once, and one that was not stored does not count', async () => {
    const { captain, team } = await twoInATeam()
    await lockedInGame(team)
    const { db } = platform
    await sql`create sequence tries`.execute(db)
    await sql`create function stumble() returns trigger language plpgsql as $$
      begin
        if nextval('tries') = 1 then raise exception 'again' using errcode = '40001'; end if;
        if new.name = 'Refused' then raise exception 'never' using errcode = '23514'; end if;
        return new;
      end $$`.execute(db)
    await sql`create trigger stumbling before update on teams for each row execute function stumble()`.execute(db)
    try {
      expect((await captain.put(`/api/team/${team.id}`, { name: 'Refused' })).status).toBe(500)
      expect((await captain.put(`/api/team/${team.id}`, { name: 'Taken' })).body.name).toBe('Taken')
      expect((await captain.put(`/api/team/${team.id}`, { name: 'Soon' })).error.code).toBe('team.renamed_too_soon')
      expect((await captain.get(`/api/team/${team.id}`)).body.name).toBe('Taken')
    } finally {
      await sql`drop trigger stumbling on teams`.execute(db)
    }
  })
})

describe('inviting', () => {
  test('P7.109 P3.31 the captain reads the invite code, name:id:32 hex', async () => {
    const { captain, member, team } = await twoInATeam()
    expect(await codeOf(captain, team.id)).toMatch(new RegExp(`^t\\w+:${team.id}:[0-9a-f]{32}$`))
    expect((await member.get(`/api/team/${team.id}/invite`)).error).toMatchObject({ status: 403, code: 'team.not_captain' })
    expect((await captain.get('/api/team/999999/invite')).error).toMatchObject({ status: 400, code: 'team.unknown' })
  })

  test('P7.102 P1.3 P3.31 another user joins with the code, with or without colons in the name', async () => {
    const [captain, guest] = [await someone(), await someone()]
    const team = await aTeam(platform.db, { captain: captain.id, name: 'a:7:b' })
    const code = await codeOf(captain, team.id)
    expect(code).toMatch(/^a:7:b:/)
    const joined = await guest.post('/api/team/accept', code)
    expect([joined.status, joined.body]).toEqual([200, ''])
    const { members } = (await guest.get(`/api/team/${team.id}`)).body
    expect(members).toContainEqual(expect.objectContaining({ id: guest.id, captain: false }))
    expect(await logged('Joined team a:7:b')).toHaveLength(1)
  })

  test('P7.102 an existing member is refused, also with concurrent requests', async () => {
    const { captain, team } = await twoInATeam()
    const guest = await someone()
    const code = await codeOf(captain, team.id)
    const answers = await Promise.all(Array.from({ length: 5 }, () => guest.post('/api/team/accept', code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ error }) => error.code === 'team.already_member' && error.status === 400)).toHaveLength(4)
  })

  test('P5.9 P7.102 a malformed code is refused', async () => {
    const { captain, team } = await twoInATeam()
    const guest = await someone()
    const code = await codeOf(captain, team.id)
    for (const wrong of [
      code.slice(0, -1),
      `${code} `,
      `${code}0`,
      code.replaceAll(':', ''),
      code.toUpperCase(),
      `x:99999999999:${'0'.repeat(32)}`,
    ]) {
      const { error } = await guest.post('/api/team/accept', wrong)
      expect(error).toMatchObject({ status: 400, code: 'team.invite_invalid', title: 'Incorrect team invite code' })
    }
    expect((await guest.post('/api/team/accept', 5)).error.status).toBe(400)
    expect((await guest.post('/api/team/accept')).error.status).toBe(400)
  })

  test('P7.102 an unknown team and a wrong secret have separate errors', async () => {
    const { team } = await twoInATeam()
    const guest = await someone()
    const unknown = await guest.post('/api/team/accept', `Ghosts:999999:${'0'.repeat(32)}`)
    expect(unknown.error).toMatchObject({ status: 400, code: 'team.invite_team_unknown', title: 'Team Ghosts not found' })
    const wrong = await guest.post('/api/team/accept', `x:${team.id}:${'0'.repeat(32)}`)
    expect(wrong.error).toMatchObject({ status: 400, code: 'team.invite_wrong' })
  })

  test('P7.102 each of the 32 digits of the code is checked', async () => {
    const { captain, team } = await twoInATeam()
    const guest = await someone()
    const code = await codeOf(captain, team.id)
    for (let back = 1; back <= 32; back++) {
      const digit = code.at(-back) === '0' ? '1' : '0'
      const wrong = code.slice(0, code.length - back) + digit + code.slice(code.length - back + 1)
      expect((await guest.post('/api/team/accept', wrong)).error).toMatchObject({ status: 400, code: 'team.invite_wrong' })
    }
    expect((await guest.post('/api/team/accept', code)).status).toBe(200)
  })

  test('P7.110 P6.14 a new code invalidates the old one at once', async () => {
    const [{ captain, member, team }, neighbour] = [await twoInATeam(), await twoInATeam()]
    const guest = await someone()
    const old = await codeOf(captain, team.id)
    const theirs = await codeOf(neighbour.captain, neighbour.team.id)
    expect((await member.put(`/api/team/${team.id}/invite`)).status).toBe(403)
    const fresh = (await captain.put(`/api/team/${team.id}/invite`)).body
    expect(fresh).not.toBe(old)
    expect(await codeOf(captain, team.id)).toBe(fresh)
    expect(await codeOf(neighbour.captain, neighbour.team.id)).toBe(theirs)
    expect((await guest.post('/api/team/accept', old)).error.code).toBe('team.invite_wrong')
    expect((await guest.post('/api/team/accept', fresh)).status).toBe(200)
  })

  test('P3.33 joining is permitted while the team is locked', async () => {
    const { captain, team } = await twoInATeam()
    await lockedInGame(team)
    expect((await (await someone()).post('/api/team/accept', await codeOf(captain, team.id))).status).toBe(200)
  })
})

describe('leaving, removing members, transferring', () => {
  test('P7.112 P6.15 a member leaves, and the member’s registrations are deleted', async () => {
    const { captain, member, team } = await twoInATeam()
    const game = await aGame(platform.db)
    const participation = await aParticipation(platform.db, game, team, { status: 'Pending' })
    const other = await aTeam(platform.db, { members: [member.id] })
    const elsewhere = await aParticipation(platform.db, await aGame(platform.db), other, { status: 'Pending' })
    const left = await member.post(`/api/team/${team.id}/leave`)
    expect([left.status, left.body]).toEqual([200, ''])
    expect(await registrationsOf(participation)).toEqual([captain.id])
    expect(await registrationsOf(elsewhere)).toContain(member.id)
    expect((await member.get('/api/team')).body).toMatchObject([{ id: other.id }])
    expect(await logged('Left team')).toMatchObject([{ status: 'Success', message: expect.stringContaining(`(${team.id})`) }])
  })

  test('P7.112 P6.15 the captain and a non-member cannot leave; an unknown team returns 404', async () => {
    const { captain, team } = await twoInATeam()
    expect((await captain.post(`/api/team/${team.id}/leave`)).error).toMatchObject({
      status: 400,
      code: 'team.captain_cannot_leave',
    })
    for (const other of [await someone(), (await twoInATeam()).member])
      expect((await other.post(`/api/team/${team.id}/leave`)).error).toMatchObject({ status: 400, code: 'team.not_member' })
    expect((await captain.post('/api/team/999999/leave')).error).toMatchObject({ status: 404, code: 'team.not_found' })
  })

  test('P7.111 P6.12 the captain removes a member: the member’s registrations are deleted, the captain’s stay', async () => {
    const { captain, member, team } = await twoInATeam()
    const game = await aGame(platform.db)
    const participation = await aParticipation(platform.db, game, team, { status: 'Pending' })
    const { status, body } = await captain.post(`/api/team/${team.id}/kick/${member.id.toUpperCase()}`)
    expect(status).toBe(200)
    expect(body.members).toMatchObject([{ id: captain.id }])
    expect(await registrationsOf(participation)).toEqual([captain.id])
    expect(await logged(`from team`)).toMatchObject([{ status: 'Success' }])
  })

  test('P7.111 an unknown team returns 400, a member 403, the captain or a non-member as target 400, an invalid id 404', async () => {
    const { captain, member, team } = await twoInATeam()
    const kick = async (who: typeof captain, userId: string, id = team.id) =>
      (await who.post(`/api/team/${id}/kick/${userId}`)).error
    expect(await kick(captain, member.id, 999999)).toMatchObject({ status: 400, code: 'team.unknown' })
    expect(await kick(member, captain.id)).toMatchObject({ status: 403, code: 'team.not_captain' })
    expect(await kick(captain, captain.id)).toMatchObject({ status: 400, code: 'team.captain_cannot_kick_self' })
    for (const other of [await someone(), (await twoInATeam()).member])
      expect(await kick(captain, other.id)).toMatchObject({ status: 400, code: 'team.member_unknown' })
    expect(await kick(captain, 'me')).toMatchObject({ status: 404, code: 'request.not_found' })
  })

  test('P7.113 P6.13 the captaincy is transferred to a member; the former captain stays a member', async () => {
    const { captain, member, team } = await twoInATeam()
    const { status, body } = await captain.put(`/api/team/${team.id}/transfer`, { newCaptainId: member.id })
    expect(status).toBe(200)
    expect(body.members.find((one: { captain: boolean }) => one.captain).id).toBe(member.id)
    expect(body.members).toHaveLength(2)
    expect(await logged(`(${team.id}) transferred to`)).toMatchObject([{ status: 'Success', ip: '127.0.0.1' }])
    expect((await captain.get(`/api/team/${team.id}/invite`)).status).toBe(403)
    // Members are in the order of joining, regardless of the captain.
    const third = await someone()
    expect((await third.post('/api/team/accept', await codeOf(member, team.id))).status).toBe(200)
    const shown = (await third.get(`/api/team/${team.id}`)).body.members.map(({ id }: { id: string }) => id)
    expect(shown.at(-1)).toBe(third.id)
    expect((await captain.post('/api/team', { name: 'Own again' })).status).toBe(200)
  })

  test('P7.113 P6.13 P5.8 not to a non-member, the owner of another team, the captain or an unknown user', async () => {
    const { captain, member, team } = await twoInATeam()
    const hand = async (newCaptainId: unknown, id = team.id, who = captain) =>
      (await who.put(`/api/team/${id}/transfer`, { newCaptainId })).error
    expect(await hand(member.id, 999999)).toMatchObject({ status: 400, code: 'team.unknown' })
    expect(await hand(member.id, team.id, member)).toMatchObject({ status: 403, code: 'team.not_captain' })
    for (const id of [undefined, null, 'me', '00000000-0000-4000-8000-000000000000', `x${member.id}`, `${member.id}x`]) {
      expect(await hand(id)).toMatchObject({ status: 400, code: 'team.new_captain_unknown' })
    }
    expect(await hand(captain.id)).toMatchObject({ status: 400, code: 'team.already_captain' })
    for (const other of [await someone(), (await twoInATeam()).member])
      expect(await hand(other.id)).toMatchObject({ status: 400, code: 'team.new_captain_not_member' })
    await aTeam(platform.db, { captain: member.id })
    expect(await hand(member.id)).toMatchObject({ status: 400, code: 'team.new_captain_owns_team' })
  })

  test('P5.8 a new captain who concurrently creates a team ends up with one of the two', async () => {
    const { captain, member, team } = await twoInATeam()
    const [handed, made] = await Promise.all([
      captain.put(`/api/team/${team.id}/transfer`, { newCaptainId: member.id }),
      member.post('/api/team', { name: 'Own' }),
    ])
    expect([handed.status, made.status].sort()).toEqual([200, 400])
    expect(['team.new_captain_owns_team', 'team.already_owned']).toContain(
      handed.status === 400 ? handed.error.code : made.error.code,
    )
  })
})

describe('the lock', () => {
  const attempts = ({ captain, member, team }: Awaited<ReturnType<typeof twoInATeam>>) => [
    () => captain.post(`/api/team/${team.id}/kick/${member.id}`),
    () => captain.put(`/api/team/${team.id}/transfer`, { newCaptainId: member.id }),
    () => captain.delete(`/api/team/${team.id}`),
    () => member.post(`/api/team/${team.id}/leave`),
  ]

  test('P4.7 P3.33 P7.107 while the game runs leaving, removing, transferring and disbanding are refused', async () => {
    const scene = await twoInATeam()
    await lockedInGame(scene.team)
    for (const attempt of attempts(scene)) {
      expect((await attempt()).error).toMatchObject({ status: 400, code: 'team.locked', data: null })
    }
    expect((await platform.anyone.get(`/api/team/${scene.team.id}`)).body).toMatchObject({ locked: true })
  })

  test('P4.7 a game that has not started and a suspension lock the team too', async () => {
    const [future, suspended] = [await twoInATeam(), await twoInATeam()]
    await lockedInGame(future.team, { starts: '1h', ends: '2h' })
    await lockedInGame(suspended.team, {}, 'Suspended')
    for (const { member, team } of [future, suspended]) {
      expect((await member.post(`/api/team/${team.id}/leave`)).error.code).toBe('team.locked')
    }
  })

  test.each([
    ['after the end', { starts: '-2h', ends: '-1h' }, 'Accepted'],
    ['after a rejection', {}, 'Rejected'],
  ] as const)('P4.8 %s the lock is removed by the first change', async (_, game, status) => {
    for (const which of [0, 1, 3]) {
      const [scene, neighbour] = [await twoInATeam(), await twoInATeam()]
      for (const { team } of [scene, neighbour]) await lockedInGame(team, game, status)
      expect((await attempts(scene)[which]?.())?.status).toBe(200)
      expect([(await rowOf(scene.team.id)).locked, (await rowOf(neighbour.team.id)).locked]).toEqual([false, true])
    }
  })

  test('P4.8 a change that a later rule refuses removes an obsolete lock, and one by another account keeps it', async () => {
    const { captain, member, team } = await twoInATeam()
    const { gameId, participation } = await lockedInGame(team, { starts: '-2h', ends: '-1h' })
    await aSolve(platform.db, { gameId, participation, challenge: await aChallenge(platform.db, gameId), arrived: at('-90m') })
    const refused: [() => ReturnType<typeof captain.post>, string, boolean][] = [
      [async () => (await someone()).post(`/api/team/${team.id}/leave`), 'team.not_member', true],
      [() => member.post(`/api/team/${team.id}/kick/${captain.id}`), 'team.not_captain', true],
      [() => member.put(`/api/team/${team.id}/transfer`, { newCaptainId: member.id }), 'team.not_captain', true],
      [() => member.delete(`/api/team/${team.id}`), 'team.not_captain', true],
      [() => captain.post(`/api/team/${team.id}/leave`), 'team.captain_cannot_leave', false],
      [() => captain.post(`/api/team/${team.id}/kick/${captain.id}`), 'team.captain_cannot_kick_self', false],
      [() => captain.put(`/api/team/${team.id}/transfer`, { newCaptainId: captain.id }), 'team.already_captain', false],
      [() => captain.delete(`/api/team/${team.id}`), 'team.has_submissions', false],
    ]
    for (const [attempt, code, locked] of refused) {
      await platform.db.updateTable('teams').set({ locked: true }).where('id', '=', team.id).execute()
      expect([(await attempt()).error.code, (await rowOf(team.id)).locked]).toEqual([code, locked])
    }
  })

  test('P4.7 without the lock a running game prevents nothing', async () => {
    const { member, team } = await twoInATeam()
    await aParticipation(platform.db, await aGame(platform.db), team, { status: 'Pending' })
    expect((await member.post(`/api/team/${team.id}/leave`)).status).toBe(200)
  })
})

describe('disbanding', () => {
  test('P7.107 P6.11 the captain disbands the team; its participations are deleted', async () => {
    const { captain, member, team } = await twoInATeam()
    const participation = await aParticipation(platform.db, await aGame(platform.db), team, { status: 'Pending' })
    expect((await member.delete(`/api/team/${team.id}`)).error).toMatchObject({ status: 403, code: 'team.not_captain' })
    const deletion = await captain.delete(`/api/team/${team.id}`)
    expect([deletion.status, deletion.body]).toEqual([200, ''])
    expect((await captain.get(`/api/team/${team.id}`)).status).toBe(404)
    expect((await captain.delete(`/api/team/${team.id}`)).error).toMatchObject({ status: 404, code: 'team.not_found' })
    const left = await platform.db.selectFrom('participations').select('id').where('id', '=', participation).execute()
    expect(left).toEqual([])
    expect(await logged('disbanded')).toHaveLength(1)
  })

  test('P7.107 a team with submissions in a started game cannot be disbanded', async () => {
    const { captain, team } = await twoInATeam()
    const { gameId, participation } = await lockedInGame(team, { starts: '-2h', ends: '-1h' })
    const challengeId = await aChallenge(platform.db, gameId)
    await sql`insert into submissions (id, game_id, participation_id, challenge_id, answer, status, arrived_at)
      values (nextval('submissions_number'), ${gameId}, ${participation}, ${challengeId}, 'x', 'WrongAnswer', now())`.execute(
      platform.db,
    )
    const neighbour = await aTeam(platform.db)
    const { gameId: running, participation: playing } = await lockedInGame(neighbour)
    await aSolve(platform.db, {
      ...{ gameId: running, participation: playing, challenge: await aChallenge(platform.db, running), arrived: at('-1m') },
    })
    const disband = () => captain.delete(`/api/team/${team.id}`)
    expect((await disband()).error).toMatchObject({ status: 400, code: 'team.has_submissions' })
    // The game was postponed and has not started yet, and the team no longer takes part in it.
    await sql`update games set starts_at = now() + interval '1 hour', ends_at = now() + interval '2 hours' where id = ${gameId}`.execute(
      platform.db,
    )
    await platform.db.updateTable('participations').set({ status: 'Rejected' }).where('id', '=', participation).execute()
    expect((await disband()).status).toBe(200)
  })

  test('P7.107 concurrent disbanding and leaving both end without a server error', async () => {
    for (let round = 0; round < 5; round++) {
      const { captain, member, team } = await twoInATeam()
      await aParticipation(platform.db, await aGame(platform.db), team, { status: 'Pending' })
      await aParticipation(platform.db, await aGame(platform.db), team, { status: 'Pending' }).catch(() => {})
      const [deletion, left] = await Promise.all([
        captain.delete(`/api/team/${team.id}`),
        member.post(`/api/team/${team.id}/leave`),
      ])
      expect(deletion.status).toBe(200)
      expect([200, 404]).toContain(left.status)
    }
  })

  test('P7.107 its avatar is deleted as well', async () => {
    const { captain, team } = await twoInATeam()
    const { body: url } = await captain.upload('PUT', `/api/team/${team.id}/avatar`, 'file', [
      { name: 'a.png', bytes: await aPng({ width: 77 }) },
    ])
    expect((await platform.anyone.get(url)).status).toBe(200)
    await captain.delete(`/api/team/${team.id}`)
    expect((await platform.anyone.get(url)).status).toBe(404)
    expect(await platform.deps.storage.has(url.split('/')[2])).toBe(false)
  })
})

describe('avatars', () => {
  const upload = async (who: Awaited<ReturnType<typeof someone>>, id: number, bytes: Buffer) =>
    who.upload('PUT', `/api/team/${id}/avatar`, 'file', [{ name: 'a.png', type: 'image/png', bytes }])

  test('P7.108 P5.10 the captain gets the URL of the image, locked or not', async () => {
    const [{ captain, team }, neighbour] = [await twoInATeam(), await twoInATeam()]
    await lockedInGame(team)
    const { status, body } = await upload(captain, team.id, await aPng({ width: 300, height: 31 }))
    expect(status).toBe(200)
    expect((await rowOf(neighbour.team.id)).avatarHash).toBeNull()
    expect(await logged(`Avatar of team ${team.id} changed: ${body.split('/')[2].slice(0, 8)}`)).toMatchObject([
      { status: 'Success' },
    ])
    const second = (await upload(captain, team.id, await aPng({ width: 300, height: 33 }))).body
    const isStored = (url: string) => platform.deps.storage.has(url.split('/')[2] as string)
    expect([await isStored(body), await isStored(second)]).toEqual([false, true])
    expect(body).toMatch(/^\/assets\/[0-9a-f]{64}\/avatar\.webp$/)
    expect((await platform.anyone.get(`/api/team/${team.id}`)).body.avatar).toBe(second.replace('.webp', ''))
  })

  test('P7.108 P5.10 an unknown team returns 404, a member 403, too large a file 400, HTML named .png 400', async () => {
    const { captain, member, team } = await twoInATeam()
    const png = await aPng()
    expect((await upload(captain, 999999, png)).error).toMatchObject({ status: 404, code: 'team.not_found' })
    expect((await upload(member, team.id, png)).error).toMatchObject({ status: 403, code: 'team.not_captain' })
    const large = await aPng({ size: 3 * 1024 * 1024 + 1 })
    expect((await upload(captain, team.id, large)).error).toMatchObject({ status: 400, code: 'file.too_large' })
    expect((await upload(captain, team.id, htmlBytes)).error).toMatchObject({ status: 400, code: 'file.image_invalid' })
  })
})

test('an account that is deleted after its request was checked neither makes nor joins a team', async () => {
  const { captain, team } = await twoInATeam()
  const by = { id: randomUUID(), userName: 'x', ip: '::1' }
  await expect(createTeam(platform.deps, by, { name: 'Late' })).rejects.toThrow(UserNotFound)
  await expect(acceptInvite(platform.deps, by, await codeOf(captain, team.id))).rejects.toThrow(UserNotFound)
})

describe('avatars of teams that change concurrently', () => {
  const changed = async (accountId: string, teamId: number) =>
    changeTeamAvatar(platform.deps, { id: accountId, userName: 'x', ip: '::1' }, teamId, await aPng({ width: 51 }))

  test('P7.108 a former captain and a deleted team are refused when the image is stored', async () => {
    const { captain, member, team } = await twoInATeam()
    await expect(changed(member.id, team.id)).rejects.toThrow(NotCaptain)
    await expect(changed(captain.id, 999_999)).rejects.toThrow(TeamNotFound)
    expect((await rowOf(team.id)).avatarHash).toBeNull()
  })

  test('P7.108 a caller who is not the captain is refused before the image is read', async () => {
    const { member, team } = await twoInATeam()
    const { error } = await member.upload('PUT', `/api/team/${team.id}/avatar`, 'file', [
      { name: 'a.png', bytes: await aPng({ size: 3 * 1024 * 1024 + 1 }) },
    ])
    expect(error).toMatchObject({ status: 403, code: 'team.not_captain' })
    const none = await member.upload('PUT', '/api/team/999999/avatar', 'other', [])
    expect(none.error).toMatchObject({ status: 404, code: 'team.not_found' })
  })
})

describe('tokens', () => {
  const pair = generateKeyPairSync('ed25519')
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
  const signed = (id: number, text = `GZCTF_TEAM_${id}`) =>
    `${id}:${sign(null, Buffer.from(text), pair.privateKey).toString('base64')}`
  const verify = (teamToken: unknown, key: unknown = publicKey) =>
    platform.anyone.post('/api/team/verify', { teamToken, publicKey: key })

  test('P3.34 P7.114 a token signed by the game is valid, whether the team exists or not', async () => {
    const { status, body } = await verify(signed(4711))
    expect([status, body]).toEqual([200, ''])
  })

  test('P3.34 P7.114 another team’s signature, another text or no signature returns 401 with 400 in the body', async () => {
    const right = signed(6)
    const ofForm = [right.replace('6:', '6:!'), `${right}!`]
    for (const token of [signed(1).replace('1:', '2:'), signed(3, 'TEAM_3'), '4:AAAA', '5:not base64!', ...ofForm]) {
      const { status, error } = await verify(token)
      expect([status, error.status, error.code]).toEqual([401, 400, 'team.token_wrong'])
    }
  })

  test('P3.34 P7.114 a malformed token returns 400', async () => {
    for (const [token, key] of [
      [signed(1), 'AAAA'],
      [signed(1), 'no key'],
      ['no colon', publicKey],
      ['x:AAAA', publicKey],
      ['1:', publicKey],
      ['99999999999:AAAA', publicKey],
      [signed(1), `!${publicKey}`],
      [signed(1), `${publicKey}!`],
    ]) {
      expect((await verify(token, key)).error).toMatchObject({ status: 400, code: 'team.token_malformed' })
    }
    expect((await verify('', publicKey)).status).toBe(400)
    expect((await verify(null, publicKey)).status).toBe(400)
  })
})
