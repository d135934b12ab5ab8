import { useState } from 'react'
import type { BoardState } from '../api/board.ts'
import { Pennant, SolveMark } from '../ui/base/pennant.tsx'
import { BloodMark } from '../ui/game/blood-mark.tsx'
import { ChallengePart } from '../ui/game/challenge-frame.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { When } from '../ui/time/when.tsx'
import c from './challenge-dialog.module.css'

interface Props {
  readonly challengeId: number
  readonly state: BoardState | undefined
  /** Participation of the own team, if it is on the board. */
  readonly own: number | undefined
}

const fewest = 3

export function Solvers({ challengeId, state, own }: Props) {
  const { t } = useTranslation()
  const [all, setAll] = useState(false)
  if (!state) return null
  const rows = state.rows
  const solvers = rows
    .flatMap(({ team, solves }) => solves.filter((solve) => solve.challengeId === challengeId).map((solve) => ({ team, solve })))
    .sort((a, b) => a.solve.number - b.solve.number)
    .map((solver, index) => ({ ...solver, place: index + 1, mine: solver.team.participationId === own }))
  if (solvers.length === 0) return null
  const shown = all ? solvers : solvers.filter(({ place, mine }) => place <= fewest || mine)
  return (
    <ChallengePart name={t('play.solvers')} count={t('play.solversOf', { solvers: solvers.length, teams: rows.length })}>
      <ol className={c.solvers}>
        {shown.map(({ team, solve, place, mine }) => (
          <li key={team.id} className={c.solver} value={place}>
            <Mark place={place} mine={mine} />
            <span className={mine ? `${c.solverName} ${c.mine}` : c.solverName}>
              {team.name}
              {mine && solve.userName && ` · ${solve.userName}`}
            </span>
            <When at={solve.time} style="weekClock" className={c.solverTime} />
          </li>
        ))}
      </ol>
      {shown.length < solvers.length && (
        <button type="button" className={`link ${c.all}`} onClick={() => setAll(true)}>
          {t('play.allSolvers')}
        </button>
      )}
    </ChallengePart>
  )
}

function Mark({ place, mine }: { readonly place: number; readonly mine: boolean }) {
  if (place <= 3) return <BloodMark place={place as 1 | 2 | 3} size={16} />
  return <span className={mine ? c.mine : undefined}>{mine ? <Pennant size={12} /> : <SolveMark size={10} />}</span>
}
