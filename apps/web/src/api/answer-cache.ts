/** Public answers kept on the device for the next visit: one compressed entry of at most a megabyte, oldest dropped first. */
import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { keys } from './query-keys.ts'

export const answerCacheKey = 'vexil_cache'

/** Characters of the stored text. */
const most = 1_000_000
const shared: readonly QueryKey[] = [keys.games.list, keys.posts.list, keys.posts.latest, keys.posts.one('').slice(0, 2)]

interface Answer {
  readonly key: QueryKey
  readonly at: number
  readonly data: unknown
}
interface Kept {
  /** Another version may answer in another shape. */
  readonly version: string
  readonly answers: readonly Answer[]
}

const isShared = (key: QueryKey) => shared.some((start) => start.every((part, index) => key[index] === part))

async function through(bytes: Uint8Array<ArrayBuffer>, way: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(way)
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** The entry as stored: the newest answers that fit. */
export async function packAnswers(answers: readonly Answer[], version: string): Promise<string> {
  const kept = [...answers].sort((a, b) => b.at - a.at)
  for (;;) {
    const bytes = new TextEncoder().encode(JSON.stringify({ version, answers: kept } satisfies Kept))
    const packed = await through(bytes, new CompressionStream('deflate-raw'))
    let text = ''
    for (const byte of packed) text += String.fromCharCode(byte)
    const stored = btoa(text)
    if (stored.length <= most || kept.length === 0) return stored
    kept.pop()
  }
}

/** The answers of an entry; empty if it is invalid or from another version. */
export async function unpackAnswers(stored: string, version: string): Promise<readonly Answer[]> {
  try {
    const packed = Uint8Array.from(atob(stored), (character) => character.charCodeAt(0))
    const bytes = await through(packed, new DecompressionStream('deflate-raw'))
    const kept = JSON.parse(new TextDecoder().decode(bytes)) as Partial<Kept>
    if (kept.version !== version || !Array.isArray(kept.answers)) return []
    return (kept.answers as readonly Answer[]).filter(
      ({ key, at, data }) => Array.isArray(key) && isShared(key) && at > 0 && data,
    )
  } catch {
    return []
  }
}

/** Storage may be full, forbidden or absent. */
const attempt = (act: () => void) => {
  try {
    act()
  } catch {}
}

export function forgetAnswers(): void {
  attempt(() => localStorage.removeItem(answerCacheKey))
}

/** Shows stored answers until the server answers, and stores its answers. Returns a function that stops it. */
export function keepAnswers(queries: QueryClient, version: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const restore = async () => {
    let stored: string | null = null
    attempt(() => {
      stored = localStorage.getItem(answerCacheKey)
    })
    if (!stored) return
    const answers = await unpackAnswers(stored, version)
    if (answers.length === 0) return forgetAnswers()
    for (const { key, at, data } of answers) {
      if (queries.getQueryData(key) !== undefined) continue
      queries.setQueryData(key, data, { updatedAt: Math.min(at, Date.now()) })
      // Regardless of age: a screen that shows it requests it at once.
      void queries.invalidateQueries({ queryKey: key, exact: true, refetchType: 'none' })
    }
  }
  const store = async () => {
    const answers = queries
      .getQueryCache()
      .getAll()
      .filter(({ queryKey, state }) => isShared(queryKey) && state.data !== undefined)
      .map(({ queryKey, state }) => ({ key: queryKey, at: state.dataUpdatedAt, data: state.data }))
    if (answers.length === 0) return
    const packed = await packAnswers(answers, version)
    attempt(() => localStorage.setItem(answerCacheKey, packed))
  }
  const stop = queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || event.action.manual || !isShared(event.query.queryKey))
      return
    clearTimeout(timer)
    timer = setTimeout(() => void store().catch(() => {}), 1000)
  })
  if (typeof CompressionStream === 'function') void restore()
  return () => {
    clearTimeout(timer)
    stop()
  }
}
