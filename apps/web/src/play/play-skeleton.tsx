import { Skeleton } from '@mantine/core'
import { useTranslation } from '../ui/text/texts.tsx'
import strip from './own-strip.module.css'
import c from './play.module.css'

const cards = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12']

export function PlaySkeleton() {
  const { t } = useTranslation()
  return (
    <div role="status">
      <span className="unseen">{t('ui.loading')}</span>
      <div className={strip.strip} />
      <div className={c.board}>
        <div className={c.filters}>
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
        <div className={c.side} />
      </div>
    </div>
  )
}
