import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freshDatabase } from '../../test/database.ts'
import { migrate } from './migrate.ts'

const database = await freshDatabase()
const { pool } = database
afterAll(() => database.drop())

/** Names that no table, column, constraint, index, function or function body contains any more. */
const oldNames = /holdings|\blane\b|_lane\b|\bheld\b/

const names = async () => {
  const { rows } = await pool.query<{ name: string }>(`
    select proname || ': ' || prosrc as name from pg_proc where pronamespace = 'public'::regnamespace
    union all select relname from pg_class where relnamespace = 'public'::regnamespace
    union all select conname || ': ' || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
    union all select attname from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped
    union all select tgname || ': ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal`)
  return rows.map(({ name }) => name)
}

test('a database with the schema before the renaming keeps its rows, and no old name remains', async () => {
  await pool.query('drop schema public cascade; drop schema graphile_worker cascade; create schema public')
  const folder = mkdtempSync(join(tmpdir(), 'vexil-migrations-'))
  const isLater = (path: string) => basename(path) >= '0011' && path.endsWith('.sql')
  cpSync(join(import.meta.dirname, 'migrations'), folder, { recursive: true, filter: (path) => !isLater(path) })
  await migrate(database, folder)
  rmSync(folder, { recursive: true })
  const hash = 'a'.repeat(64)
  await pool.query(`
    insert into accounts (id, user_name, name_key, email, password_hash)
      values ('00000000-0000-4000-8000-000000000001', 'ann', 'ann', 'ann@example.org', 'x');
    insert into files (hash, name, type, size, held) values ('${hash}', 'tide.zip', 'application/zip', 7, true);
    insert into games (title, starts_at, ends_at, writeup_deadline, public_key, private_key) values ('Regatta', now(), now() + interval '1 h', now() + interval '1 h', 'x', 'x');
    insert into challenges (game_id, title, type) select id, 'Buoy', 'DynamicContainer' from games;
    insert into teams (name, captain_id, invite_token) values ('Danes', '00000000-0000-4000-8000-000000000001', 'x');
    insert into participations (game_id, team_id, token, status) select g.id, t.id, 'x', 'Accepted' from games g, teams t;
    insert into holdings (participation_id, challenge_id, flag) select p.id, c.id, 'flag{own}' from participations p, challenges c;
    insert into containers (id, challenge_id, participation_id, lane, image, lease_until)
      select '00000000-0000-4000-8000-000000000002', c.id, p.id, 5, 'echo:1', now() from participations p, challenges c`)
  expect((await names()).filter((name) => oldNames.test(name)).length).toBeGreaterThan(5)
  expect((await migrate(database))[0]).toBe('0011_names')
  const { rows } = await pool.query(`
    select flag, subnet_index, pinned from team_flags join containers using (participation_id, challenge_id), files`)
  expect(rows).toEqual([{ flag: 'flag{own}', subnet_index: 5, pinned: true }])
  expect((await names()).filter((name) => oldNames.test(name))).toEqual([])
})
