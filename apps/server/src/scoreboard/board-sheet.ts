import { messagesOf } from '@vexil/contract/messages/messages'
import { type BoardRow, columnsOf, rowsOf } from '@vexil/core/scoreboard'
import type { Language } from '@vexil/core/vocabulary'
import { sheetTime } from '../files/file-names.ts'
import type { Row, Sheet } from '../files/sheet.ts'
import type { BoardPerson } from './details.queries.ts'
import type { KeptBoard } from './kept-board.ts'

/** `people` by participation. Builds all rows at once, because the board may change while the sheet is read. */
export function boardSheet(
  { board }: KeptBoard,
  { people, hasDivisions, language }: { people: ReadonlyMap<number, BoardPerson>; hasDivisions: boolean; language: Language },
): Pick<Sheet, 'name' | 'headings' | 'rows'> {
  const words = messagesOf[language].sheets
  const columns = columnsOf(board)
  const headings = [
    words.rank,
    words.team,
    ...(hasDivisions ? [words.division] : []),
    words.captain,
    words.members,
    words.studentNumbers,
    words.phones,
    words.solved,
    words.lastSolve,
    words.points,
    ...columns.map(({ title }) => title),
  ]
  const rowOf = ({ team, rank, points, lastAt, solves }: BoardRow): Row => {
    const of = people.get(team.participationId)
    const earned = new Map(solves.map((solve) => [solve.challengeId, solve.points]))
    return [
      rank,
      team.name,
      ...(hasDivisions ? [team.division ?? ''] : []),
      of?.captain ?? '',
      joined(of?.names),
      joined(of?.studentNumbers),
      joined(of?.phones),
      solves.length,
      lastAt === null ? '' : sheetTime(new Date(lastAt)),
      points,
      ...columns.map(({ id }) => earned.get(id) ?? 0),
    ]
  }
  return { name: words.scoreboard, headings, rows: [rowsOf(board).map(rowOf)] }
}

const joined = (values: readonly string[] | null | undefined) =>
  (values ?? []).map((value) => value.trim() || '<empty>').join(' / ')
