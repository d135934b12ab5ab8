/** `count` and `skip` work in the same way for every list. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aChallenge, aGame, anAccount, aParticipation, aTeam } from './builders/game.ts'
import { type Answer, type Caller, startTestPlatform, type TestPlatform } from './platform.ts'

/** More than any list shows by default. */
const many = 130
let platform: TestPlatform
let admin: Caller
let game: number
beforeAll(async () => {
  platform = await startTestPlatform()
  const { db } = platform
  admin = await platform.as(await anAccount(db, { role: 'Admin' }))
  game = await aGame(db)
  const challenge = await aChallenge(db, game)
  const participation = await aParticipation(db, game, await aTeam(db))
  await sql`
    with people as (
      insert into accounts (id, user_name, name_key, email, password_hash, active)
      select gen_random_uuid(), 'many' || n, 'many' || n, 'many' || n || '@example.org', 'none', true
      from generate_series(1, ${many}) n returning id, user_name
    )
    insert into teams (name, captain_id, invite_token) select user_name, id, repeat('0', 32) from people`.execute(db)
  await sql`
    insert into games (title, starts_at, ends_at, writeup_deadline, public_key, private_key)
    select 'many' || n, now(), now() + interval '1 hour', now() + interval '1 hour', 'x', 'x' from generate_series(1, ${many}) n`.execute(
    db,
  )
  await sql`
    insert into notices (game_id, type, values) select ${game}, 'Normal', array['many' || n] from generate_series(1, ${many}) n`.execute(
    db,
  )
  await sql`
    insert into submissions (game_id, participation_id, challenge_id, answer, status, arrived_at)
    select ${game}, ${participation}, ${challenge}, 'many' || n, 'WrongAnswer', now() from generate_series(1, ${many}) n`.execute(
    db,
  )
  await sql`
    insert into files (hash, name, type, size)
    select lpad(to_hex(n), 64, '0'), 'many' || n, 'text/plain', 1 from generate_series(1, ${many}) n`.execute(db)
  await sql`
    insert into mails (kind, recipient, user_name, language)
    select 'Test', 'many' || n || '@example.org', 'many', 'en_US' from generate_series(1, ${many}) n`.execute(db)
  await sql`
    insert into logs (level, name, message) select 'Information', 'System', 'many' || n from generate_series(1, ${many}) n`.execute(
    db,
  )
})
afterAll(() => platform.stop())

const lists = [
  ['/api/admin/users', 100],
  ['/api/admin/users/search?hint=many', 30],
  ['/api/admin/teams', 100],
  ['/api/admin/teams/search?hint=many', 30],
  ['/api/admin/files', 50],
  ['/api/admin/mails', 50],
  ['/api/admin/logs', 50],
  ['/api/edit/games', 50],
  ['/api/game', 50],
  ['/api/game/:game/notices', 100],
  ['/api/game/:game/events', 100],
  ['/api/game/:game/submissions', 100],
] as const

describe.each(lists)('%s', (path, size) => {
  const ask = (query = ''): Promise<Answer> => {
    const url = path.replace(':game', String(game)) + (query && (path.includes('?') ? '&' : '?') + query)
    return path.includes('search') ? admin.post(url) : admin.get(url)
  }
  const rows = ({ body }: Answer): unknown[] => body.data ?? body

  test(`has ${size} rows by default, and as many as requested`, async () => {
    expect(rows(await ask())).toHaveLength(size)
    expect(rows(await ask('count=3'))).toHaveLength(3)
    expect(rows(await ask(`count=${size + 20}`)).length).toBe(path === '/api/game' ? 70 : size + 20)
  })

  test('starts with the first row for a negative skip, and pages join without a gap', async () => {
    const whole = rows(await ask('count=6'))
    expect(rows(await ask('count=2&skip=-7'))).toEqual(whole.slice(0, 2))
    expect(rows(await ask('count=2&skip=2'))).toEqual(whole.slice(2, 4))
    expect(rows(await ask('count=2&skip=4'))).toEqual(whole.slice(4))
    expect(rows(await ask('skip=100000'))).toEqual([])
  })

  test('has no rows for a count of 0 and refuses a negative one; for submissions both mean all', async () => {
    const [none, below] = [await ask('count=0'), await ask('count=-1')]
    if (path.endsWith('submissions')) expect([rows(none).length, rows(below).length]).toEqual([many, many])
    else expect([rows(none), below.status, below.error.code]).toEqual([[], 400, 'request.invalid'])
  })
})
