import { ActionIcon } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useTranslation } from '../text/texts.tsx'
import c from './pager.module.css'

interface Props {
  readonly page: number
  /** True for a page that is not full. */
  readonly last: boolean
  readonly onTurn: (page: number) => void
}

/** Arrows only: the calls do not return the number of entries. */
export function Pager({ page, last, onTurn }: Props) {
  const { t } = useTranslation()
  return (
    <span className={c.pager}>
      <ActionIcon size="sm" aria-label={t('ui.feed.previous')} disabled={page <= 1} onClick={() => onTurn(page - 1)}>
        <IconChevronLeft size={18} stroke={1.6} />
      </ActionIcon>
      <span className="small num">{t('ui.feed.page', { page })}</span>
      <ActionIcon size="sm" data-next-page aria-label={t('ui.feed.next')} disabled={last} onClick={() => onTurn(page + 1)}>
        <IconChevronRight size={18} stroke={1.6} />
      </ActionIcon>
    </span>
  )
}
