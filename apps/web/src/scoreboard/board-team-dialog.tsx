import type { BoardColumn, BoardRow } from '@vexil/core/scoreboard'
import { perMilleAt, unpackBloodBonus } from '@vexil/core/scoring'
import type { ChallengeCategory } from '@vexil/core/vocabulary'
import type { BoardState } from '../api/board.ts'
import { Avatar } from '../ui/base/avatar.tsx'
import { Stat } from '../ui/base/stat.tsx'
import { BloodMark } from '../ui/game/blood-mark.tsx'
import { CategorySign } from '../ui/game/category-sign.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import { When } from '../ui/time/when.tsx'
import { CategoryShares } from './category-shares.tsx'
import { TeamCourse } from './team-course.tsx'
import c from './team-dialog.module.css'

interface Props {
  readonly row: BoardRow
  readonly state: Omit<BoardState, 'engine'>
  /** All rows are loaded. */
  readonly whole: boolean
  readonly onClose: () => void
}

const placeOf = { FirstBlood: 1, SecondBlood: 2, ThirdBlood: 3 } as const

export function TeamDialog({ row, state, whole, onClose }: Props) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const { team, rank, divisionRank, points, solves } = row
  const { columns } = state
  const byId = new Map(columns.map((column) => [column.id, column]))
  const title = (
    <span className={c.title}>
      <Avatar src={team.avatar} name={team.name} id={team.id} size={32} />
      <span className={c.name}>{team.name}</span>
      {team.division && <span className={c.division}>{team.division}</span>}
    </span>
  )
  return (
    <Dialog opened onClose={onClose} title={title} sub={team.bio || t('teamView.noBio')} size={720} tall>
      <div className={c.stats}>
        <Stat value={rank} label={t('teamView.rank')} />
        {divisionRank !== null && (
          <Stat value={divisionRank} label={t('teamView.divisionRank', { division: team.division ?? '' })} />
        )}
        <Stat value={number(points)} label={t('teamView.score')} />
        <Stat value={solves.length} label={t('teamView.solved', { total: columns.length })} />
      </div>
      <div className={c.shares}>
        {whole && <TeamCourse row={row} state={state} />}
        <CategoryShares shares={sharesOf(row, columns)} />
      </div>
      {solves.length === 0 ? (
        <p className={c.none}>{t('teamView.none')}</p>
      ) : (
        <table className={c.solves}>
          <thead>
            <tr>
              <th scope="col">{t('teamView.challenge')}</th>
              <th scope="col" className={c.user}>
                {t('teamView.member')}
              </th>
              <th scope="col" className={c.end}>
                {t('teamView.points')}
              </th>
              <th scope="col" className={c.end}>
                {t('teamView.time')}
              </th>
            </tr>
          </thead>
          <tbody>
            {[...solves].reverse().map((solve) => {
              const column = byId.get(solve.challengeId)
              const place = placeOf[solve.type as keyof typeof placeOf]
              // The configured bonus; one derived from rounded points would differ.
              const bonus = unpackBloodBonus(state.ownBonus.get(solve.challengeId) ?? state.bloodBonus)
              const gain = place ? perMilleAt(bonus, place - 1) / 10 : 0
              return (
                <tr key={solve.number}>
                  <td>
                    <span className={c.challenge}>
                      {column && <CategorySign category={column.category} size={16} />}
                      <span className={c.cut}>{column?.title}</span>
                      {place && <BloodMark place={place} />}
                    </span>
                  </td>
                  <td className={c.user}>{solve.userName ?? t('teamView.somebody')}</td>
                  <td className={`${c.end} num`}>
                    {number(solve.points)}
                    {gain > 0 && <span className={c.gain}> +{gain} %</span>}
                  </td>
                  <td className={c.end}>
                    <When at={solve.time} style="exact" />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
    </Dialog>
  )
}

/** The team's share of the points of a category's solved challenges, 0 to 1. */
function sharesOf(row: BoardRow, columns: readonly BoardColumn[]): { category: ChallengeCategory; share: number }[] {
  const own = new Map(row.solves.map(({ challengeId }) => [challengeId, true]))
  const sums = new Map<ChallengeCategory, { all: number; own: number }>()
  for (const { id, category, value, solved } of columns) {
    const sum = sums.get(category) ?? { all: 0, own: 0 }
    if (solved > 0) sum.all += value
    if (own.has(id)) sum.own += value
    sums.set(category, sum)
  }
  return [...sums].map(([category, sum]) => ({ category, share: sum.all > 0 ? sum.own / sum.all : 0 }))
}
