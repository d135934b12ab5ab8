import { expect, test } from 'vitest'
import { clausesOf } from './deletions.queries.ts'

/** Every variant of the text, each without one part. `#{` is the start of a part of the template. */
function variants(written: string): string[] {
  const text = written.replaceAll('#{', '${')
  return clausesOf(text).map(({ from, to, instead }) =>
    `${text.slice(0, from)}${instead}${text.slice(to)}`.replaceAll('${', '#{').replaceAll(/\s+/g, ' ').trim(),
  )
}

test('conditions become true, an alternative false', () => {
  expect(variants('select from a join b on b.a = a.id where a.x = #{x} and (b.y or b.z)')).toEqual([
    'select from a join b on true where a.x = #{x} and (b.y or b.z)',
    'select from a join b on b.a = a.id where true and (b.y or b.z)',
    'select from a join b on b.a = a.id where a.x = #{x} and true',
    'select from a join b on b.a = a.id where a.x = #{x} and (b.y or false )',
  ])
})

test('a condition ends at the next clause, at a comma and at its parenthesis; those within it are separate', () => {
  expect(variants('select case when a then b end from c where exists (select from d where e) group by f')).toEqual([
    'select case when true then b end from c where exists (select from d where e) group by f',
    'select case when a then b end from c where true group by f',
    'select case when a then b end from c where exists (select from d where true ) group by f',
  ])
  expect(variants('select a and b, c')).toEqual(['select a and true , c'])
  expect(variants('and #{time} >= #{from}')).toEqual(['and true'])
})

test('between is one condition, conflicts have none, and literals and parts have no words', () => {
  expect(variants('where a between 1 and 2')).toEqual(['where true'])
  expect(variants('on conflict (a) do nothing')).toEqual([])
  expect(variants("select 'x or y', #{on ? sql`where #{a}` : b}")).toEqual([])
})

test('not, distinct, order, limits and locks are left out', () => {
  expect(variants('select distinct a from b where not c order by d limit 1 offset 2 for update')).toEqual([
    'select a from b where not c order by d limit 1 offset 2 for update',
    'select distinct a from b where true order by d limit 1 offset 2 for update',
    'select distinct a from b where c order by d limit 1 offset 2 for update',
    'select distinct a from b where not c limit 1 offset 2 for update',
    'select distinct a from b where not c order by d offset 2 for update',
    'select distinct a from b where not c order by d limit 1 for update',
    'select distinct a from b where not c order by d limit 1 offset 2',
  ])
  expect(variants('select distinct on (a) a order by b, c desc')).toEqual(['select distinct on (a) a order by b, c'])
  expect(variants('where a is distinct from b')).toEqual(['where true'])
})
