import { ActionIcon } from '@mantine/core'
import { IconClockExclamation } from '@tabler/icons-react'
import { useDeviceOff } from '../api/clock.ts'
import { useTranslation } from '../ui/texts.tsx'
import { formatDuration } from '../ui/time.ts'
import { Tooltip } from '../ui/tooltip.tsx'
import c from './rail.module.css'

/** Tells that the device's clock is wrong; nothing while it is right (CLOCK-1). */
export function ClockBadge({ rail }: { readonly rail?: boolean }) {
  const { t, language } = useTranslation()
  const off = useDeviceOff()
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
