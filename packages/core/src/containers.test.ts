import { expect, test } from 'vitest'
import { mustBeGoodContainers } from './containers.ts'

const web = { name: 'web', environment: [{ name: 'A' }, { name: 'B' }] }
const sql = { name: 'sql', port: 5432 }

test('names and ports of different kinds may be the same; of one kind they are unique', () => {
  mustBeGoodContainers({ port: 80, namedPorts: [{ ...sql, name: 'web' }], additional: [web, { ...web, name: 'db' }] })
  const refusal = (more: Partial<Parameters<typeof mustBeGoodContainers>[0]>) => {
    try {
      mustBeGoodContainers({ port: 80, namedPorts: [], additional: [], ...more })
    } catch (error) {
      const { code, data } = error as { code: string; data: unknown }
      return [code, data]
    }
  }
  const other = { name: 'other', port: 5433 }
  expect(refusal({ additional: [web, { name: 'db', environment: [] }, web] })).toEqual([
    'challenge.name_repeated',
    { name: 'web' },
  ])
  expect(refusal({ namedPorts: [sql, other, { ...sql, port: 1 }] })).toEqual(['challenge.name_repeated', { name: 'sql' }])
  const environment = [{ name: 'A' }, { name: 'B' }, { name: 'B' }]
  expect(refusal({ additional: [web, { name: 'db', environment }] })).toEqual(['challenge.name_repeated', { name: 'B' }])
  expect(refusal({ namedPorts: [other, { ...sql, port: 80 }] })).toEqual(['challenge.port_repeated', { port: 80 }])
  expect(refusal({ namedPorts: [sql, { ...other, port: 5432 }] })).toEqual(['challenge.port_repeated', { port: 5432 }])
})
