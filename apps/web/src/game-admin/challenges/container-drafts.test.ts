import { challengeLimits } from '@vexil/core/limits'
import { expect, test } from 'vitest'
import {
  type ContainerDraft,
  containerDrafts,
  containerProblems,
  newContainer,
  newPort,
  portDrafts,
  portProblems,
  sentContainers,
  sentPorts,
} from './container-drafts.ts'

const database = {
  ...{ name: 'db', image: 'db:1', cpuCount: 2, memoryLimit: 64, storageLimit: 128, getsFlag: true },
  environment: [
    { name: 'A', value: 'one=two ' },
    { name: 'B', value: '' },
  ],
}

test('what is stored comes back unchanged, with its variables as lines', () => {
  const [draft] = containerDrafts([database])
  expect(draft!.environment).toBe('A=one=two \nB=')
  expect(sentContainers(containerDrafts([database]))).toEqual([database])
  const sql = { name: 'sql', port: 5432 }
  expect(sentPorts(portDrafts([sql]))).toEqual([sql])
  expect(sentContainers([{ ...draft!, name: ' db ', image: ' db:1 ', environment: '\n  A=1\r\n\nB=2\n' }])).toEqual([
    {
      ...database,
      environment: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    },
  ])
})

test('a new row has a separate key, and lacks what only the organiser knows', () => {
  const rows = containerDrafts([database, { ...database, name: 'other' }])
  const row = newContainer(rows)
  expect([row.key, [...containerProblems(row, [...rows, row])]]).toEqual([2, ['name', 'image']])
  // The first row was removed.
  expect(newPort([{ key: 1, name: 'sql', port: 5432 }]).key).toBe(2)
  expect([...portProblems(newPort([]), [newPort([])], 80)]).toEqual(['name', 'port'])
})

test.each([
  [{ name: 'Db' }, ['name']],
  [{ name: 'db-' }, ['name']],
  [{ name: '1db' }, ['name']],
  [{ name: 'd'.repeat(21) }, ['name']],
  [{ name: 'other' }, ['name']],
  [{ name: ' other ' }, ['name']],
  [{ name: ' db ' }, []],
  [{ name: 'd'.repeat(20) }, []],
  [{ image: ' ' }, ['image']],
  [{ cpuCount: 0 }, ['cpuCount']],
  [{ cpuCount: challengeLimits.cpuMax + 1 }, ['cpuCount']],
  [{ memoryLimit: challengeLimits.memoryMax + 1 }, ['memoryLimit']],
  [{ storageLimit: challengeLimits.storageMax + 1 }, ['storageLimit']],
  [{ cpuCount: challengeLimits.cpuMax, memoryLimit: challengeLimits.memoryMax, storageLimit: challengeLimits.storageMax }, []],
  [{ memoryLimit: 31, storageLimit: 127.5 }, ['memoryLimit', 'storageLimit']],
  [{ environment: 'A' }, ['environment']],
  [{ environment: '1A=x' }, ['environment']],
  [{ environment: 'A=1\nA=2' }, ['environment']],
  [{ environment: `${'A'.repeat(65)}=` }, ['environment']],
  [{ environment: `A=${'x'.repeat(1025)}` }, ['environment']],
  [{ environment: Array.from({ length: 33 }, (_, at) => `V${at}=`).join('\n') }, ['environment']],
  [{ environment: Array.from({ length: 32 }, (_, at) => `V${at}=`).join('\n') }, []],
])('a container with %j has wrong fields: %j', (more, wrong) => {
  const [draft, other] = containerDrafts([database, { ...database, name: 'other' }])
  const edited = { ...draft!, ...more } as ContainerDraft
  expect([...containerProblems(edited, [edited, other!])]).toEqual(wrong)
})

test.each([
  [{ port: 80 }, ['port']],
  [{ port: 5433 }, ['port']],
  [{ port: 0 }, ['port']],
  [{ port: 65_536 }, ['port']],
  [{ name: 'other' }, ['name']],
  [{ name: 'a.b' }, ['name']],
  [{ port: 65_535 }, []],
])('a port with %j has wrong fields: %j', (more, wrong) => {
  const other = { key: 1, name: 'other', port: 5433 }
  const edited = { key: 0, name: 'sql', port: 5432, ...more }
  expect([...portProblems(edited, [edited, other], 80)]).toEqual(wrong)
})
