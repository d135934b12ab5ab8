import type { Readable } from 'node:stream'
import { GameNotFound } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { fileStamp, titleForFile } from '../files/file-names.ts'
import { type ZipEntry, zipStream } from '../files/zip-stream.ts'
import { findGame } from '../games/games.queries.ts'
import { listWriteups, type WriteupRow } from './writeups.queries.ts'

/** All writeups of a game in one folder, under their stored names. @throws GameNotFound */
export async function zipWriteups(
  deps: Pick<Deps, 'db' | 'storage' | 'versions' | 'log'>,
  gameId: number,
): Promise<{ name: string; stream: Readable }> {
  const game = await findGame(deps.db, gameId)
  if (!game) throw new GameNotFound()
  const folder = `Writeups-${titleForFile(game.title)}-${fileStamp(new Date(deps.versions.now()))}`
  const entries = eachWriteup(deps, folder, await listWriteups(deps.db, gameId))
  return { name: `${folder}.zip`, stream: zipStream(entries, { compress: false }) }
}

/** Skips writeups whose file is missing. */
async function* eachWriteup(
  { storage, log }: Pick<Deps, 'storage' | 'log'>,
  folder: string,
  rows: readonly WriteupRow[],
): AsyncGenerator<ZipEntry> {
  for (const { fileHash, fileName, uploadedAt } of rows) {
    const found = await storage.get(fileHash)
    if (found) yield { name: `${folder}/${fileName}`, time: uploadedAt, stream: found.stream }
    else log.write({ level: 'Warning', status: 'NotFound', name: 'System', message: `The content of ${fileName} is missing` })
  }
}
