/** A fake server that records calls. */
import { onTestFinished, vi } from 'vitest'
import { json } from './page.tsx'

export interface RecordedCall {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: unknown
}

/** Answers calls until the test ends: a Response is returned as it is, other values become the body of a 200. */
export function serve(answer: (call: RecordedCall) => unknown): RecordedCall[] {
  const requests: RecordedCall[] = []
  vi.stubGlobal('fetch', async (address: string, init?: RequestInit) => {
    const { pathname: path, search: query } = new URL(address, 'http://localhost')
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : (init?.body ?? undefined)
    const call = { method: init?.method ?? 'GET', path, query, body }
    requests.push(call)
    const given = await answer(call)
    if (given instanceof Response) return given
    return given === undefined ? new Response(null) : json(given)
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return requests
}

export const acts = (requests: readonly RecordedCall[]) =>
  requests.filter(({ method }) => method !== 'GET').map(({ method, path, body }) => ({ call: `${method} ${path}`, body }))

export const refuse = (title: string, code: string, status = 400, headers: Readonly<Record<string, string>> = {}) =>
  new Response(JSON.stringify({ title, code, status }), { status, headers: { 'content-type': 'application/json', ...headers } })
