import { Skeleton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import c from './board.module.css'

/** Rows in the shape of the table. */
export function BoardSkeleton() {
  const { t } = useTranslation()
  return (
    <div className={c.skeleton} role="status">
      <span className="unseen">{t('ui.loading')}</span>
      <Skeleton height={180} mb={20} />
      {Array.from({ length: 12 }, (_, row) => (
        <Skeleton key={row} height={20} mb={12} />
      ))}
    </div>
  )
}
