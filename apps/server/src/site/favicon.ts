import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import type { Deps } from '../deps.ts'
import { findFile } from '../files/files.queries.ts'

export interface Favicon {
  readonly hash: string
  readonly type: string
  readonly bytes: Buffer
}

const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="0 0 32 32">' +
  '<path fill="#2e6cc3" d="M1 3h8.25l10.875 18.85L16 29z"/><path fill="#f5c822" d="M11.75 3H31l-9.625 16.683z"/></svg>'

/** Cached, because every browser requests the favicon. */
let builtIn: Promise<Favicon> | null = null
let own: Favicon | null = null

async function drawBuiltIn(): Promise<Favicon> {
  const bytes = await sharp(Buffer.from(mark)).webp({ lossless: true }).toBuffer()
  return { hash: createHash('sha256').update(bytes).digest('hex'), type: 'image/webp', bytes }
}

/** The site's favicon, or the built-in one if there is none or its file is missing. */
export async function loadFavicon({ db, storage, settings }: Pick<Deps, 'db' | 'storage' | 'settings'>): Promise<Favicon> {
  const hash = settings.get()['GlobalConfig:FaviconHash']
  if (own?.hash === hash) return own
  const file = hash === '' ? undefined : await findFile(db, hash)
  const stored = file && (await storage.get(hash))
  if (file && stored) {
    own = { hash, type: file.type, bytes: await buffer(stored.stream) }
    return own
  }
  builtIn ??= drawBuiltIn()
  return builtIn
}
