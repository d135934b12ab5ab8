import type { Endpoint } from '@vexil/contract/endpoint'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { blockWrites, onSessionEnded } from './client.ts'
import { upload } from './upload.ts'

const hand = {
  method: 'POST',
  path: '/api/game/:id/writeup',
  shape: { access: 'user', summary: '', upload: 'paper' },
} as const satisfies Endpoint
const file = new File(['%PDF-1.7'], 'how.pdf')

/** The newest request, controlled by the test. */
let request: Request
class Request {
  upload: { onprogress?: (event: object) => void } = {}
  onload = () => {}
  onerror = () => {}
  status = 0
  response: unknown = null
  responseType = ''
  readonly headers: Record<string, string> = {}
  answered: Record<string, string> = {}
  line = ''
  sent = new FormData()
  constructor() {
    request = this
  }
  open(method: string, address: string) {
    this.line = `${method} ${address}`
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value
  }
  getResponseHeader(name: string) {
    return this.answered[name] ?? null
  }
  send(form: FormData) {
    this.sent = form
  }
  answer(status: number, response: unknown, answered: Record<string, string> = {}) {
    Object.assign(this, { status, response, answered })
    this.onload()
  }
}
beforeEach(() => {
  vi.stubGlobal('XMLHttpRequest', Request)
  vi.stubGlobal('document', { documentElement: { lang: 'ja-JP' } })
})
afterEach(() => void vi.unstubAllGlobals())

test('a file is sent in the language of the page, in the form field that the call names, with progress', async () => {
  const shares: number[] = []
  const sent = upload(hand, file, { params: { id: 7 }, query: { draft: true }, onProgress: (share) => shares.push(share) })
  expect([request.line, request.headers, request.responseType]).toEqual([
    'POST /api/game/7/writeup?draft=true',
    { 'Accept-Language': 'ja-JP' },
    'json',
  ])
  expect((request.sent.get('paper') as File).name).toBe('how.pdf')
  request.upload.onprogress?.({ loaded: 1, total: 4, lengthComputable: true })
  request.upload.onprogress?.({ loaded: 2, total: 0, lengthComputable: false })
  expect(shares).toEqual([0.25])
  request.answer(200, { hash: 'ab' })
  expect(await sent).toEqual({ hash: 'ab' })
})

test('a refusal carries the message of the server and the time to wait; one without a body carries its status', async () => {
  const refused = upload(hand, file)
  request.answer(429, { title: 'Too many', status: 429, code: 'limit.reached' }, { 'Retry-After': '12' })
  await expect(refused).rejects.toMatchObject({
    name: 'Refusal',
    http: 429,
    title: 'Too many',
    code: 'limit.reached',
    retryAfter: 12,
  })
  const broken = upload(hand, file)
  request.answer(300, null)
  await expect(broken).rejects.toMatchObject({ name: 'Refusal', http: 300, title: '', retryAfter: undefined })
})

test('an upload that never arrives is a refusal without an answer', async () => {
  const lost = upload(hand, file)
  request.onerror()
  await expect(lost).rejects.toMatchObject({ name: 'Refusal', http: 0 })
})

test('GUARD-7 a refused upload ends the session in the browser', async () => {
  const ended = vi.fn(() => true)
  onTestFinished(onSessionEnded(ended))
  const refused = upload(hand, file)
  request.answer(401, null)
  await expect(refused).rejects.toMatchObject({ http: 401, notified: true })
  expect(ended).toHaveBeenCalledOnce()
})

test('SESS-2 no file is sent while another person is signed in than the one on screen', async () => {
  blockWrites('Ben is signed in now')
  const before = request
  await expect(upload(hand, file)).rejects.toMatchObject({ name: 'Refusal', http: 409, title: 'Ben is signed in now' })
  blockWrites(undefined)
  expect(request).toBe(before)
})
