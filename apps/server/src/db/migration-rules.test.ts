/** Migrations that do not break a node of the previous release: it keeps serving while the next release upgrades the schema. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Migration, migrationsFolder, numberOf, readMigrations } from './migration-files.ts'

/** The rules apply to later migrations. */
const lastBefore = 21

/** Without comments and string literals. */
const plain = (statements: string) =>
  statements
    .replace(/--.*$/gm, '')
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replace(/'(?:[^']|'')*'/g, "''")

interface Signature {
  readonly name: string
  /** Names and types of the arguments as in the statement. */
  readonly args: string
}
const functionsOf = (sql: string): Signature[] =>
  [...sql.matchAll(/create\s+(?:or\s+replace\s+)?function\s+(\w+)\s*\(([^)]*)\)/gi)].map(([, name = '', args = '']) => ({
    name,
    args: args.replace(/\s+/g, ' ').trim(),
  }))

const forbidden: readonly (readonly [problem: string, found: RegExp])[] = [
  ['drops what the release before uses', /\bdrop\s+(?:table|column|function|trigger|view|type|constraint)\b/i],
  ['renames what the release before uses', /\brename\b/i],
  ['changes a type', /\balter\s+(?:column\s+)?\w+\s+(?:set\s+data\s+)?type\b/i],
  ['needs a value that the release before does not write', /\bset\s+not\s+null\b/i],
]

/** Parts of a migration that would break a node of the previous release. `earlier`: functions of the migrations before it. */
function problemsOf({ statements, worksWith }: Migration, earlier: readonly Signature[]): string[] {
  if (/^-- requires-downtime$/m.test(statements)) return []
  const sql = plain(statements)
  const problems = forbidden.filter(([, found]) => found.test(sql)).map(([problem]) => problem)
  if (worksWith === null) problems.push('does not say which schema it works with')
  const created = [...sql.matchAll(/create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(\w+)/gi)].map(([, name]) => name)
  for (const [, table, column] of sql.matchAll(/alter\s+table\s+(\w+)([^;]*)/gi)) {
    const isNew = created.includes(table)
    for (const added of (column ?? '').split(/\badd\b/i).slice(1)) {
      if (/\bnot\s+null\b/i.test(added) && !/\bdefault\b|\bgenerated\b/i.test(added))
        problems.push('needs a value that the release before does not write')
      if (!isNew && /\b(?:unique|primary\s+key)\b/i.test(added)) problems.push(`locks ${table} while an index is created`)
    }
  }
  for (const [, how, table] of sql.matchAll(/create\s+(?:unique\s+)?index\s+(concurrently\s)?[^;]*?\son\s+(?:only\s+)?(\w+)/gi))
    if (!how && !created.includes(table)) problems.push(`locks ${table} while an index is created`)
  for (const { name, args } of functionsOf(sql))
    if (earlier.some((one) => one.name === name) && !earlier.some((one) => one.name === name && one.args === args))
      problems.push(`changes the arguments of ${name}`)
  return [...new Set(problems)]
}

test('each migration says which schema it works with, and keeps what the release before uses', () => {
  const all = readMigrations(migrationsFolder)
  const wrong = all.flatMap((migration, at) => {
    if (numberOf(migration.name) <= lastBefore) return []
    const earlier = all.slice(0, at).flatMap(({ statements }) => functionsOf(plain(statements)))
    return problemsOf(migration, earlier).map((problem) => `${migration.name} ${problem}`)
  })
  expect(wrong).toEqual([])
})

test('what a migration declares is a complete line of the comment at its top', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vexil-migrations-'))
  try {
    const write = (name: string, ...lines: string[]) => writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
    write('0001_plain.sql', 'create table a ();', '-- works-with: 0001', '-- no-transaction')
    write('0002_mentions.sql', '-- Not -- works-with: 0001', '-- no-transaction would be wrong', 'create table b ();')
    write('0003_declares.sql', '-- works-with: 0002', '-- no-transaction', 'create index concurrently if not exists i on a (b);')
    expect(readMigrations(folder)).toMatchObject([
      { name: '0001_plain', worksWith: null, index: null },
      { name: '0002_mentions', worksWith: null, index: null },
      { name: '0003_declares', worksWith: 2, index: 'i' },
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const earlier = [{ name: 'total', args: 'game integer' }]
const needsValue = 'needs a value that the release before does not write'
const drops = 'drops what the release before uses'
const renames = 'renames what the release before uses'

test.each<[string, string, string[]]>([
  ['a dropped table', 'drop table logs;', [drops]],
  ['a dropped column', 'alter table logs drop column ip;', [drops]],
  ['a dropped function', 'drop function total(integer);', [drops]],
  ['a dropped trigger', 'drop trigger t on logs;', [drops]],
  ['a renamed table', 'alter table logs rename to entries;', [renames]],
  ['a renamed column', 'alter table logs rename column ip to address;', [renames]],
  ['another type', 'alter table logs alter column ip type text;', ['changes a type']],
  ['another type, written out', 'alter table logs alter ip set data type text;', ['changes a type']],
  [
    'other arguments',
    'create or replace function total(game integer, team integer) returns int as $$ select 1 $$;',
    ['changes the arguments of total'],
  ],
  ['a column without a default', 'alter table logs add column node text not null;', [needsValue]],
  ['the second of two columns', 'alter table logs add a int not null default 0, add b int not null;', [needsValue]],
  ['a column that must have a value now', 'alter table logs alter column ip set not null;', [needsValue]],
  ['an index', 'create index logs_ip on logs (ip);', ['locks logs while an index is created']],
  ['a unique constraint', 'alter table logs add constraint one unique (ip);', ['locks logs while an index is created']],
])('a migration with %s is refused', (_, sql, problems) => {
  const migration = { name: '0099_x', hash: '', index: null, worksWith: 98 }
  expect(problemsOf({ ...migration, statements: sql }, earlier)).toEqual(problems)
  expect(problemsOf({ ...migration, statements: `-- requires-downtime\n${sql}` }, earlier)).toEqual([])
  const unsaid = problemsOf({ ...migration, worksWith: null, statements: sql }, earlier)
  expect(unsaid.toSorted()).toEqual([...problems, 'does not say which schema it works with'].toSorted())
})

test.each([
  [
    'a table with an index',
    'create table nodes (id uuid primary key, url text not null); create index nodes_url on nodes (url);',
  ],
  ['a column with a default', "alter table logs add column node text not null default 'drop table';"],
  ['a column that may be empty', 'alter table logs add column node text;'],
  ['the body of a function', 'create or replace function total(game integer) returns int as $$ drop table x $$;'],
  ['an index that is created concurrently', 'create index concurrently if not exists logs_ip on logs (ip);'],
  ['a comment', '-- drop table logs\nselect 1;'],
])('a migration with %s is accepted', (_, statements) => {
  expect(problemsOf({ name: '0099_x', hash: '', index: null, worksWith: 98, statements }, earlier)).toEqual([])
})

test('the job library migrates its tables at the start, so its version is named by the newest migration of jobs', () => {
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  const named = readMigrations(migrationsFolder).flatMap(
    ({ statements }) => /^-- jobs: graphile-worker (\S+)$/m.exec(statements)?.[1] ?? [],
  )
  expect(named.at(-1)).toBe(dependencies['graphile-worker'])
})
