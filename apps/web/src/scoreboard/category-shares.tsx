import type { ChallengeCategory } from '@vexil/core/vocabulary'
import { CategorySign } from '../ui/game/category-sign.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './team-dialog.module.css'

interface Props {
  readonly shares: readonly { category: ChallengeCategory; share: number }[]
}

/** A bar per category. */
export function CategoryShares({ shares }: Props) {
  const { t } = useTranslation()
  if (shares.length === 0) return null
  return (
    <section aria-label={t('teamView.shares')}>
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
