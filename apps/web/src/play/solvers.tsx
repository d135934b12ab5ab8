import { rowsOf } from '@vexil/core/scoreboard'
import { useTranslation } from 'react-i18next'
import type { BoardState } from '../api/board.ts'
import { BloodMark } from '../ui/blood-mark.tsx'
import { ChallengePart } from '../ui/challenge-frame.tsx'
import { SolveMark } from '../ui/pennant.tsx'
import { When } from '../ui/when.tsx'
import c from './challenge-dialog.module.css'

interface Props {
  readonly challengeId: number
  readonly state: BoardState | undefined
  /** Name of the own team. */
  readonly own: string | null
}

const shownMost = 50

/** Who solved it, in the order of the log, drawn from the board. */
export function Solvers({ challengeId, state, own }: Props) {
  const { t } = useTranslation()
  if (!state) return null
  const solvers = rowsOf(state.board)
    .flatMap(({ team, solves }) => solves.filter((solve) => solve.challengeId === challengeId).map((solve) => ({ team, solve })))
    .sort((a, b) => a.solve.number - b.solve.number)
  if (solvers.length === 0) return null
  return (
    <ChallengePart name={t('play.solvers')} count={solvers.length}>
      <ol className={c.solvers}>
        {solvers.slice(0, shownMost).map(({ team, solve }, index) => (
          <li key={team.id} className={c.solver}>
            {index < 3 ? <BloodMark place={(index + 1) as 1 | 2 | 3} size={16} /> : <SolveMark size={10} />}
            <span className={team.name === own ? `${c.solverName} ${c.mine}` : c.solverName}>
              {team.name}
              {team.name === own && solve.userName && ` · ${solve.userName}`}
            </span>
            <When at={solve.time} style="clock" className={c.solverTime} />
          </li>
        ))}
      </ol>
    </ChallengePart>
  )
}
