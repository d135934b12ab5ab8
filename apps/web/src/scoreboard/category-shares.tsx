import type { ChallengeCategory } from '@vexil/core/vocabulary'
import { CategorySign } from '../ui/game/category-sign.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './team-dialog.module.css'

interface Props {
  readonly shares: readonly { category: ChallengeCategory; share: number }[]
}

const radius = 76

/** A radar chart of the categories, for three and more; the bars with names and shares are complete without it. */
export function CategoryShares({ shares }: Props) {
  const { t } = useTranslation()
  if (shares.length === 0) return null
  return (
    <section className={c.shares} aria-label={t('teamView.shares')}>
      {shares.length >= 3 && <Radar shares={shares} />}
      <ul className={c.bars}>
        {shares.map(({ category, share }) => (
          <li key={category}>
            <CategorySign category={category} size={14} labelled={false} />
            <span>{category}</span>
            <span className={c.bar}>
              <i style={{ width: `${share * 100}%` }} />
            </span>
            <span className="num">{Math.round(share * 100)} %</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Radar({ shares }: Props) {
  const point = (index: number, length: number) => {
    const angle = (index / shares.length) * 2 * Math.PI - Math.PI / 2
    return `${(Math.cos(angle) * length).toFixed(1)},${(Math.sin(angle) * length).toFixed(1)}`
  }
  const ring = (share: number) => shares.map((_, index) => point(index, radius * share)).join(' ')
  return (
    <svg className={c.radar} viewBox="-84 -84 168 168" aria-hidden>
      {[0.25, 0.5, 0.75, 1].map((share) => (
        <polygon key={share} points={ring(share)} fill="none" stroke="var(--line)" />
      ))}
      {shares.map(({ category }, index) => (
        <path key={category} d={`M0,0L${point(index, radius)}`} stroke="var(--line)" />
      ))}
      <polygon
        points={shares.map(({ share }, index) => point(index, radius * share)).join(' ')}
        fill="var(--accent-tint-2)"
        fillOpacity="0.7"
        stroke="var(--accent-text)"
        strokeWidth="1.5"
      />
    </svg>
  )
}
