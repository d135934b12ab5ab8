import { messagesOf } from '@vexil/contract/messages/messages'
import type { Language } from '@vexil/core/vocabulary'
import type { Db } from '../db/transaction.ts'
import { sheetTime } from '../files/file-names.ts'
import { type Row, rowsMost, type Sheet } from '../files/sheet.ts'
import { listSubmissionsBelow } from './submissions.queries.ts'

/** Rows of one query: few, so that a slow reader occupies little memory and no connection. */
const batch = 5000

/** All cells are text, newest first. User name and address are blank for a deleted account. A last row says that older submissions are left out. */
export function submissionSheet(db: Db, gameId: number, language: Language): Pick<Sheet, 'name' | 'headings' | 'rows'> {
  const { sheets: words, results } = messagesOf[language]
  const headings = [words.result, words.time, words.team, words.user, words.challenge, words.answer, words.email]
  async function* rows(): AsyncGenerator<Row[]> {
    let last: { arrivedAt: Date; id: number } | undefined
    for (let left = rowsMost - 1; ; left -= batch) {
      const found = await listSubmissionsBelow(db, gameId, { below: last, count: Math.min(batch, left + 1) })
      yield found
        .slice(0, left)
        .map((row) => [
          results[row.status],
          sheetTime(row.arrivedAt),
          row.teamName,
          row.userName ?? '',
          row.title,
          row.answer,
          row.email ?? '',
        ])
      if (found.length > left) {
        yield [[words.olderLeftOut]]
        return
      }
      if (found.length < batch) return
      last = found.at(-1)
    }
  }
  return { name: words.submissions, headings, rows: rows() }
}
