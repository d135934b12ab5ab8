import { Skeleton } from '@mantine/core'
import { useTranslation } from '../ui/texts.tsx'
import c from './play.module.css'

const cards = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12']

export function PlaySkeleton() {
  const { t } = useTranslation()
  return (
    <div className={c.board} role="status">
      <div className={c.filters}>
        <span className="unseen">{t('ui.loading')}</span>
        {cards.slice(0, 6).map((card) => (
          <Skeleton key={card} height={20} m={8} />
        ))}
      </div>
      <div className={c.middle}>
        <div className={c.cards}>
          {cards.map((card) => (
            <Skeleton key={card} height={64} />
          ))}
        </div>
      </div>
    </div>
  )
}
