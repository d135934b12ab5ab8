import { expect, test } from 'vitest'
import { slowRequest } from './request-times.ts'

const request = (times: object, shape: object = {}) =>
  ({ ...times, routeOptions: { config: { endpoint: { shape } } } }) as unknown as Parameters<typeof slowRequest>[0]
const trace = { id: 'a', startedAt: 100, admitted: 150, databaseMs: 900.4 }

test('a request that took a second in gate and handler is slow, with the time spent in each', () => {
  expect(slowRequest(request({ trace, arrived: 150 }), 1_100)).toEqual({ gate: 50, database: 900, handler: 950 })
  expect(slowRequest(request({ trace, arrived: 150 }), 1_099)).toBeNull()
})

test('the time in which the client sends its body does not count, nor does an upload', () => {
  expect(slowRequest(request({ trace, arrived: 30_000 }), 30_100)).toBeNull()
  expect(slowRequest(request({ trace, arrived: 30_000 }), 31_000)).toEqual({ gate: 50, database: 900, handler: 1_000 })
  expect(slowRequest(request({ trace, arrived: 150 }, { upload: 'file' }), 60_000)).toBeNull()
})

test('a request that waits at the gate is slow before it is admitted', () => {
  expect(slowRequest(request({ trace: { id: 'a', startedAt: 100, databaseMs: 0 } }), 1_100)).toEqual({
    gate: 1_000,
    database: 0,
    handler: 0,
  })
})
