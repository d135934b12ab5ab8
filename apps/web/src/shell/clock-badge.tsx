import { ActionIcon } from '@mantine/core'
import { IconClockExclamation } from '@tabler/icons-react'
import { useClockDeviation } from '../api/clock.ts'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { formatDuration } from '../ui/time/time.ts'
import c from './rail.module.css'

export function ClockBadge({ rail }: { readonly rail?: boolean }) {
  const { t, language } = useTranslation()
  const off = useClockDeviation()
  if (off === 0) return null
  const time = formatDuration(Math.abs(off), language)
  const text = t(off > 0 ? 'shell.clockAhead' : 'shell.clockBehind', { time })
  return (
    <Tooltip label={text} position={rail ? 'right' : 'bottom'} touch>
      <ActionIcon className={rail ? c.entry : undefined} aria-label={text} c="var(--warn)">
        <IconClockExclamation size={22} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  )
}
