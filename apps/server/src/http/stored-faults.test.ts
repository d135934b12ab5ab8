import { expect, test } from 'vitest'
import type { LogEntry } from '../audit.ts'
import { faultsStored, storeFaults } from './stored-faults.ts'

const route = 'GET /api/game/:id'
const faulty = (error: unknown) => ({ error, route, ip: '192.0.2.1' })

test('a fault is stored with its route and kind, without its message', () => {
  const entries: LogEntry[] = []
  const store = storeFaults((entry) => entries.push(entry))
  store(faulty(Object.assign(new TypeError('token abc'), { code: '22P02' })))
  store(faulty('thrown text'))
  const both = { level: 'Error', status: 'Failed', name: 'System', ip: '192.0.2.1', route }
  expect(entries).toEqual([
    { ...both, message: `${route} failed: TypeError 22P02. The printed log has the details.` },
    { ...both, message: `${route} failed: Error. The printed log has the details.` },
  ])
})

test('a minute has a limited number of entries, the next one starts at zero', () => {
  let now = 0
  let count = 0
  const store = storeFaults(
    () => count++,
    () => now,
  )
  for (let n = 0; n < faultsStored + 5; n++) store(faulty(new Error()))
  expect(count).toBe(faultsStored)
  now = 59_999
  store(faulty(new Error()))
  expect(count).toBe(faultsStored)
  now = 60_000
  store(faulty(new Error()))
  expect(count).toBe(faultsStored + 1)
  now = 119_999
  for (let n = 0; n < faultsStored + 5; n++) store(faulty(new Error()))
  expect(count).toBe(2 * faultsStored)
})
