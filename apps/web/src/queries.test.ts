import { globSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => void vi.unstubAllGlobals())

interface Query {
  readonly queryFn: (context: { readonly signal: AbortSignal }) => unknown
  readonly refetchInterval?: unknown
}

/** All queries of the web application with their names, called with arbitrary arguments. */
async function allQueries(): Promise<[string, Query][]> {
  const files = globSync('**/*.queries.ts', { cwd: import.meta.dirname }).sort()
  const all: [string, Query][] = []
  for (const file of [...files, 'shell/session.ts', 'shell/site.ts']) {
    const found = (await import(join(import.meta.dirname, file))) as Record<string, unknown>
    for (const [name, query] of Object.entries(found)) {
      if (!name.endsWith('Query')) continue
      const made = typeof query === 'function' ? query(3, 4, 5, 'six') : query
      all.push([`${file} ${name}`, made as Query])
    }
  }
  return all
}

const queries = await allQueries()

test('every query of the web is covered', () => {
  expect(queries.length).toBeGreaterThan(35)
})

test('data whose changes no message announces is requested every 30 s', () => {
  const polled = queries.filter(([, { refetchInterval }]) => refetchInterval === 30_000)
  expect(polled.map(([name]) => name)).toEqual([
    'monitor/monitor.queries.ts silentQuery',
    'monitor/monitor.queries.ts failingChecksQuery',
    'site-admin/site-admin.queries.ts instancesQuery',
    'site-admin/site-admin.queries.ts engineQuery',
    'site-admin/site-admin.queries.ts healthQuery',
  ])
})

test.each(queries)('the queries of %s are cancelled when they are no longer needed', async (_, { queryFn }) => {
  const signals: (AbortSignal | null | undefined)[] = []
  vi.stubGlobal('fetch', async (_: string, init?: RequestInit) => {
    signals.push(init?.signal)
    return new Promise<never>((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  })
  const wanted = new AbortController()
  const requests = Promise.resolve(queryFn({ signal: wanted.signal })).catch((error: unknown) => error)
  await vi.waitFor(() => expect(signals).not.toHaveLength(0))
  wanted.abort()
  for (const signal of signals) expect(signal?.aborted).toBe(true)
  expect(await requests).toBe(wanted.signal.reason)
})
