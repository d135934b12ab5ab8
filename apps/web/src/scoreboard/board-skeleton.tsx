import { Skeleton } from '@mantine/core'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './board.module.css'

const rows = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12']

export function BoardSkeleton() {
  const { t } = useTranslation()
  return (
    <div className={c.skeleton} role="status">
      <span className="unseen">{t('ui.loading')}</span>
      <Skeleton height={180} mb={20} />
      {rows.map((row) => (
        <Skeleton key={row} height={20} mb={12} />
      ))}
    </div>
  )
}
