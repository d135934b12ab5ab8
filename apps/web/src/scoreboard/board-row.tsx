import type { BoardEntry, BoardRow } from '@vexil/core/scoreboard'
import { memo, type ReactNode } from 'react'
import type { BoardHead, Move, Recent } from '../api/board.ts'
import { Avatar } from '../ui/base/avatar.tsx'
import { Pennant } from '../ui/base/pennant.tsx'
import { BloodMark, type Place } from '../ui/game/blood-mark.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import c from './board.module.css'

const places: Partial<Record<BoardEntry['type'], Place>> = { FirstBlood: 1, SecondBlood: 2, ThirdBlood: 3 }

/** The rendered columns, `to` exclusive: wide boards render only visible ones. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Accessible text of a cell. One function for the table: a hook in each of a thousand cells costs more than the cell. */
export type CellLabel = (challenge: string, points: number, time: number) => string

interface Props {
  readonly row: BoardRow
  readonly cellLabel: CellLabel
  readonly heads: readonly BoardHead[]
  readonly span: Span
  /** The board of one division: its ranks, without its name. */
  readonly inDivision: boolean
  readonly recent: Recent | undefined
  readonly move: Move | undefined
  readonly own: boolean
  readonly marked?: boolean
  readonly pinned?: boolean
  /** Only rank, team and points. */
  readonly phone: boolean
}

/** One row. Props are stable objects, so that a solve renders only the changed rows. Animations of new solves are finite. */
export const Row = memo(function Row({
  row,
  cellLabel,
  heads,
  span,
  inDivision,
  recent,
  move,
  own,
  marked,
  pinned,
  phone,
}: Props) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const { team, rank, divisionRank, points, solves } = row
  const classes = [c.row, own && c.own, pinned && c.pinned, marked && c.marked].filter(Boolean).join(' ')
  return (
    <tr className={classes} data-live={recent && !pinned ? (recent.again ? 'again' : '') : undefined} data-team={team.id}>
      <td className={`${c.stick} ${c.rank}`}>{inDivision ? divisionRank : rank}</td>
      {!phone && (
        <td className={`${c.stick} ${c.move}`}>
          {move && (
            <span
              key={move.at}
              className={move.places > 0 ? c.up : c.down}
              role="img"
              aria-label={t(move.places > 0 ? 'board.won' : 'board.lost', { count: Math.abs(move.places) })}
            >
              {move.places > 0 ? '▲' : '▼'}
              {Math.abs(move.places)}
            </span>
          )}
        </td>
      )}
      <th scope="row" className={`${c.stick} ${c.team}`}>
        <span className={c.who}>
          <Avatar src={team.avatar} name={team.name} id={team.id} size={20} />
          <span className={c.words}>
            <button type="button" className={c.name} title={team.name}>
              {team.name}
            </button>
            <span className={c.second}>
              {[team.division, t('board.solves', { count: solves.length })].filter(Boolean).join(' · ')}
            </span>
          </span>
          {own && <Pennant size={12} label={t('board.own')} />}
          {team.division && !inDivision && (
            <span className={c.division} title={team.division}>
              {team.division}
            </span>
          )}
        </span>
      </th>
      {!phone && <td className={`${c.stick} ${c.solved}`}>{solves.length}</td>}
      <td className={`${c.stick} ${c.points}`}>{number(points)}</td>
      {!phone && (
        <Cells solves={solves} cellLabel={cellLabel} heads={heads} span={span} just={pinned ? undefined : recent?.challengeId} />
      )}
      {!phone && <td />}
    </tr>
  )
})

export const beginsGroup = (heads: readonly BoardHead[], place: number): boolean =>
  place === 0 || heads[place - 1]?.category !== heads[place]?.category

/** Cells for the columns of a span, and one filler cell before and after it. */
export function spread({ from, to }: Span, count: number, cell: (place: number) => ReactNode): ReactNode {
  return (
    <>
      {from > 0 && <td colSpan={from} />}
      {Array.from({ length: to - from }, (_, place) => cell(from + place))}
      {to < count && <td colSpan={count - to} />}
    </>
  )
}

interface CellsProps {
  readonly cellLabel: CellLabel
  readonly solves: readonly BoardEntry[]
  readonly heads: readonly BoardHead[]
  readonly span: Span
  readonly just: number | undefined
}

/** Renders again when the team's solves or points change, not when its row moves. */
const Cells = memo(function Cells({ solves, cellLabel, heads, span, just }: CellsProps) {
  const byChallenge = new Map(solves.map((solve) => [solve.challengeId, solve]))
  return spread(span, heads.length, (place) => {
    const head = heads[place] as BoardHead
    const solve = byChallenge.get(head.id)
    const name = `${c.cell}${beginsGroup(heads, place) ? ` ${c.group}` : ''}${just === head.id ? ` ${c.just}` : ''}`
    return (
      <td key={head.id} className={name}>
        {solve && <Cell cellLabel={cellLabel} title={head.title} points={solve.points} type={solve.type} time={solve.time} />}
      </td>
    )
  })
})

interface CellProps extends Pick<BoardEntry, 'points' | 'type' | 'time'> {
  readonly cellLabel: CellLabel
  readonly title: string
}

const Cell = memo(function Cell({ cellLabel, title, points, type, time }: CellProps) {
  const label = cellLabel(title, points, time)
  const place = places[type]
  return place ? (
    <span title={label}>
      <BloodMark place={place} label={label} />
    </span>
  ) : (
    <i className={c.solve} role="img" title={label} aria-label={label} />
  )
})
