import type { BoardColumn, BoardEntry, BoardRow } from '@vexil/core/scoreboard'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { BoardState } from '../api/board.ts'
import { Avatar } from '../ui/avatar.tsx'
import { BloodMark, type Place } from '../ui/blood-mark.tsx'
import { Pennant, SolveMark } from '../ui/pennant.tsx'
import { formatTime, useFormats } from '../ui/time.ts'
import c from './board.module.css'

const places: Partial<Record<BoardEntry['type'], Place>> = { FirstBlood: 1, SecondBlood: 2, ThirdBlood: 3 }

interface Props {
  readonly row: BoardRow
  readonly columns: readonly BoardColumn[]
  readonly state: BoardState
  readonly division: string | null
  readonly own: boolean
  readonly marked?: boolean
  readonly pinned?: boolean
  /** Rank, team and points alone. */
  readonly phone: boolean
  readonly onOpen: (teamId: number) => void
}

/** One team. What just happened is marked by animations that end by themselves. */
export const Row = memo(function Row({ row, columns, state, division, own, marked, pinned, phone, onOpen }: Props) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const { team, rank, divisionRank, points, solves } = row
  const recent = state.recent.get(team.participationId)
  const move = state.moves.get(team.participationId)
  const byChallenge = new Map(solves.map((solve) => [solve.challengeId, solve]))
  const classes = [c.row, own && c.own, pinned && c.pinned, marked && c.marked].filter(Boolean).join(' ')
  return (
    <tr key={recent?.at} className={classes} data-live={recent && !pinned ? '' : undefined} onClick={() => onOpen(team.id)}>
      <td className={`${c.stick} ${c.rank}`}>{division === null ? rank : divisionRank}</td>
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
            <button type="button" className={c.name} onClick={() => onOpen(team.id)}>
              {team.name}
            </button>
            <span className={c.second}>
              {[team.division, t('board.solves', { count: solves.length })].filter(Boolean).join(' · ')}
            </span>
          </span>
          {own && <Pennant size={12} label={t('board.own')} />}
          {team.division && division === null && <span className={c.division}>{team.division}</span>}
        </span>
      </th>
      {!phone && <td className={`${c.stick} ${c.solved}`}>{solves.length}</td>}
      <td className={`${c.stick} ${c.points}`}>{number(points)}</td>
      {columns.map(({ id, title, category }, place) => {
        const solve = byChallenge.get(id)
        const group = place === 0 || columns[place - 1]?.category !== category
        const just = recent?.challengeId === id && !pinned
        return (
          <td key={id} className={[c.cell, group && c.group, just && c.just].filter(Boolean).join(' ')}>
            {solve && <Cell solve={solve} title={title} />}
          </td>
        )
      })}
    </tr>
  )
})

function Cell({ solve, title }: { readonly solve: BoardEntry; readonly title: string }) {
  const { t } = useTranslation()
  const { language } = useFormats()
  const label = t('board.cell', { challenge: title, points: solve.points, time: formatTime(solve.time, 'exact', language) })
  const place = places[solve.type]
  return <span title={label}>{place ? <BloodMark place={place} label={label} /> : <SolveMark label={label} />}</span>
}
