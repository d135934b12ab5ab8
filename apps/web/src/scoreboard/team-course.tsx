import type { BoardRow } from '@vexil/core/scoreboard'
import { useMemo } from 'react'
import type { BoardState } from '../api/board.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import { courseOf } from './team-course.ts'
import c from './team-dialog.module.css'

interface Props {
  readonly row: BoardRow
  readonly state: Pick<BoardState, 'rows' | 'startsAt' | 'changedAt'>
}

/** Units of the drawing. */
const [width, height] = [300, 100]

/** A team's points and rank since the start, the first rank at the top. */
export function TeamCourse({ row, state: { rows, startsAt, changedAt } }: Props) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const course = useMemo(() => courseOf(rows, row), [rows, row])
  const last = course.at(-1)
  if (!last) return null
  const span = Math.max(1, Math.max(changedAt, last.at) - startsAt)
  const ranks = course.flatMap(({ rank }) => rank ?? [])
  const [best, worst] = [Math.min(...ranks), Math.max(...ranks)]
  const x = (at: number) => ((at - startsAt) / span) * width
  const steps = (start: number | null, heights: readonly (readonly [at: number, y: number])[]) =>
    `${start === null ? `M${x(heights[0]?.[0] ?? startsAt)} ${heights[0]?.[1]}` : `M0 ${start}`}${heights
      .map(([at, y]) => `H${x(at).toFixed(1)}V${y.toFixed(1)}`)
      .join('')}H${width}`
  const most = Math.max(1, ...course.map(({ points }) => points))
  const points = steps(
    height,
    course.map(({ at, points: sum }) => [at, height * (1 - sum / most)]),
  )
  const rankLine = steps(
    null,
    course.map(({ at, rank }) => [at, 4 + (height - 8) * (((rank ?? 1) - best) / Math.max(1, worst - best))]),
  )
  const words = [
    t('teamView.coursePoints', { points: number(last.points) }),
    ...(last.rank === null
      ? []
      : [t('teamView.courseRank', { best: number(best), worst: number(worst), rank: number(last.rank) })]),
  ]
  return (
    <figure className={c.course} aria-label={t('teamView.course')}>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden>
        <path className={c.area} d={`${points}V${height}H0z`} />
        <path className={c.line} d={points} />
        {ranks.length > 0 && <path className={c.rankLine} d={rankLine} />}
      </svg>
      <figcaption>
        {words.map((word, at) => (
          <span key={word} className={at === 0 ? c.ofPoints : c.ofRank}>
            {word}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}
