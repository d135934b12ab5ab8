/** Entries that are logged during a request have its id; a slow request is logged. */
import { setTimeout as sleep } from 'node:timers/promises'
import { endpoint } from '@vexil/contract/endpoint'
import type { FastifyInstance } from 'fastify'
import * as Type from 'typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { entryPrinter, type LogFormat, printedLine } from '../log-lines.ts'
import { currentRequest, inDatabase } from '../request-trace.ts'
import { openApplication } from './application.ts'
import { openLimiter } from './rate-limit.ts'
import { type Http, route } from './route.ts'
import { nameSessionCookie } from './session-cookie.ts'
import { openUploadSlots } from './upload-watch.ts'

const logging = endpoint('POST /log/says/:id', {
  access: 'anyone',
  summary: 'Test',
  params: Type.Object({ id: Type.String() }),
  body: Type.Object({ what: Type.String() }),
  reply: Type.Object({ id: Type.String() }),
})

const lines: Record<string, unknown>[] = []
const faults: unknown[] = []
const acts: Record<string, () => Promise<void> | void> = {}
async function open(format: LogFormat): Promise<FastifyInstance> {
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const app = await openApplication({
    publicUrl: 'http://localhost',
    trustedProxies: ['loopback'],
    log: { level: 'warn', format, stream },
    record: { refusal: () => false, fault: ({ error, ...fault }) => void faults.push(fault) },
  })
  nameSessionCookie(app, { name: 'session', publicUrl: 'http://localhost' })
  const gate = {
    catchUp: () => null,
    isSetUp: async () => true,
    findActor: async () => null,
    sessionOf: String,
    knownActor: () => null,
  }
  const http = { app, gate, limiter: openLimiter(true), uploads: openUploadSlots() } as unknown as Http
  route(http, logging, async ({ params, request }) => {
    await acts[params.id]?.()
    if (params.id === 'slow') Object.assign(request.trace, { startedAt: request.trace.startedAt - 1_500 })
    return { id: String(currentRequest()?.id) }
  })
  await app.ready()
  return app
}
let json: FastifyInstance
let text: FastifyInstance
beforeAll(async () => {
  json = await open('json')
  text = await open('text')
})
afterAll(() => Promise.all([json.close(), text.close()]))
beforeEach(() => void [lines, faults].map((list) => list.splice(0)))

const ask = (app: FastifyInstance, id: string, requestId: string) =>
  app.inject({
    method: 'POST',
    url: `/log/says/${id}`,
    payload: '{"what":"a"}',
    headers: { 'content-type': 'application/json', 'x-request-id': requestId },
  })

test('requests at the same time keep their own ids, after the body was read and after waiting', async () => {
  acts.waits = () => sleep(Math.random() * 20)
  const ids = Array.from({ length: 50 }, (_, n) => `id-${n}`)
  const answers = await Promise.all(ids.map((id) => ask(json, 'waits', id)))
  expect(answers.map((answer) => answer.json().id)).toEqual(ids)
  expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual(ids)
  expect(currentRequest()).toBeUndefined()
  expect(lines).toEqual([])
})

test('a fault is logged as one JSON object with the id of the answer, and recorded with its route', async () => {
  acts.fails = () => Promise.reject(new TypeError('broken'))
  const answer = await ask(json, 'fails', 'request-1')
  expect(answer.json()).toMatchObject({ code: 'server.unknown', requestId: 'request-1' })
  expect(answer.headers['x-request-id']).toBe('request-1')
  const shared = { name: 'System', status: 'Failed', ip: '127.0.0.1', requestId: 'request-1' }
  expect(lines).toEqual([
    {
      ...shared,
      level: 'Error',
      message: 'fault',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      err: expect.objectContaining({ type: 'TypeError', message: 'broken' }),
    },
  ])
  expect(faults).toEqual([{ route: 'POST /log/says/:id', ip: '127.0.0.1' }])
})

test('as text the line of a fault has the id, too; a broken rule is not logged', async () => {
  await ask(text, 'fails', 'request-2')
  expect(lines).toMatchObject([{ level: 50, msg: 'fault', requestId: 'request-2' }])
  await text.inject({ method: 'GET', url: '/api/nowhere' })
  expect(lines).toHaveLength(1)
  expect(faults).toHaveLength(1)
})

test('a slow request is logged with the time in gate, database and handler, without its query; a fast one is not', async () => {
  acts.slow = () => inDatabase(() => sleep(30))
  await ask(json, 'fast', 'request-3')
  await ask(json, 'slow?secret=1', 'request-4')
  expect(lines).toMatchObject([
    { level: 'Warning', requestId: 'request-4', message: 'Slow request: POST /log/says/slow', httpStatus: 200 },
  ])
  const [{ gate, database, handler }] = lines as [Record<string, number>]
  expect(gate).toBeGreaterThanOrEqual(1_500)
  expect(database).toBeGreaterThanOrEqual(25)
  expect(handler).toBeGreaterThanOrEqual(database!)
})

test('entries of the administrators’ log are JSON lines from the printed level on, faults of calls are not repeated', async () => {
  const entry = { status: 'Denied', name: 'anna', ip: '192.0.2.1', message: 'Access denied' } as const
  acts.enters = () => {
    for (const app of [json, text]) {
      const print = entryPrinter(app.log, app === json ? 'json' : 'text')
      print(entry)
      print({ ...entry, level: 'Warning' })
      print({ ...entry, level: 'Error', route: 'GET /api' })
    }
  }
  await ask(json, 'enters', 'request-5')
  expect(lines).toEqual([{ ...entry, level: 'Warning', requestId: 'request-5', time: expect.any(String) }])
})

test('a line for the operator is text, or a JSON object', () => {
  expect(printedLine('ready', 'text')).toBe('ready')
  expect(JSON.parse(printedLine('\nready\n', 'json'))).toEqual({
    ...{ level: 'Information', name: 'System', status: '', ip: '', requestId: null, message: 'ready' },
    time: expect.any(String),
  })
})
