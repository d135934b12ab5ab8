import { IconBan, IconCheck, IconClockPause, IconX } from '@tabler/icons-react'
import type { ParticipationStatus } from '@vexil/core/vocabulary'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './status.module.css'

const icons = {
  Pending: <IconClockPause size={16} stroke={1.8} />,
  Accepted: <IconCheck size={16} stroke={1.8} />,
  Rejected: <IconX size={16} stroke={1.8} />,
  Suspended: <IconBan size={16} stroke={1.8} />,
  Unsubmitted: null,
}

export function StatusWord({ status }: { readonly status: ParticipationStatus }) {
  const { t } = useTranslation()
  if (status === 'Unsubmitted') return null
  return (
    <span className={c.status} data-status={status}>
      {icons[status]}
      {t(`games.status.${status}`)}
    </span>
  )
}
