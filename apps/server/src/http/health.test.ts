import { afterAll, expect, test } from 'vitest'
import { openApplication } from './application.ts'
import { healthRoutes } from './health.ts'
import { openLimiter } from './rate-limit.ts'
import type { Http } from './route.ts'
import { openUploadSlots } from './upload-watch.ts'

const app = await openApplication({ publicUrl: 'http://localhost', trustedProxies: [], log: { level: 'silent' } })
afterAll(() => app.close())

test('a node is ready while it listens, its database answers and takes writes; without writes it is healthy', async () => {
  const database = { answers: true, isWritable: true }
  const gate = { knownActor: () => null, denied: () => undefined, seen: () => undefined } as unknown as Http['gate']
  const http: Http = { app, gate, limiter: openLimiter(true), uploads: openUploadSlots() }
  const node = healthRoutes(
    http,
    () => database.answers,
    () => database.isWritable,
  )
  const probe = async (state: Partial<typeof database> = {}) => {
    Object.assign(database, { answers: true, isWritable: true }, state)
    return Promise.all(['/healthz', '/healthz/ready'].map(async (path) => (await app.inject(path)).statusCode))
  }
  await app.ready()
  expect(await probe()).toEqual([200, 503])
  await app.listen({ port: 0, host: '127.0.0.1' })
  expect(await probe()).toEqual([200, 200])
  expect(await probe({ isWritable: false })).toEqual([200, 503])
  expect(await probe({ answers: false })).toEqual([503, 503])
  node.drain()
  expect(await probe()).toEqual([200, 503])
})
