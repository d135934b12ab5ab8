import { Readable } from 'node:stream'
import { pages } from '@vexil/core/limits'
import type { Db } from '../db/transaction.ts'
import { listSubmissionsBelow, type SubmissionFilter } from './submissions.queries.ts'
import { submissionView } from './submissions.view.ts'

/** Rows of one query and one chunk; serialising them takes a few milliseconds. */
const batch = 1000

/** One JSON array, newest first, at most `pages.submissions.max`, built while it is read: a slow reader occupies no connection and no memory. Rejects if the first chunk fails. */
export async function streamSubmissions(db: Db, gameId: number, filter: SubmissionFilter = {}): Promise<Readable> {
  const pieces = jsonPieces(db, gameId, filter)
  const first = await pieces.next()
  return Readable.from(
    (async function* () {
      if (!first.done) yield first.value
      yield* pieces
    })(),
    { objectMode: false },
  )
}

async function* jsonPieces(db: Db, gameId: number, filter: SubmissionFilter = {}): AsyncGenerator<string> {
  let last: { arrivedAt: Date; id: number } | undefined
  let opened = '['
  for (let left: number = pages.submissions.max; left > 0; left -= batch) {
    const found = await listSubmissionsBelow(db, gameId, { below: last, count: Math.min(batch, left), ...filter })
    const rows = found.map((row) => JSON.stringify(submissionView(row))).join()
    if (rows) yield opened + rows
    if (rows) opened = ','
    if (found.length < batch) break
    last = found.at(-1)
  }
  yield opened === '[' ? '[]' : ']'
}
