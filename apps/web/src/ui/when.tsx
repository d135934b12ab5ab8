import { Tooltip } from '@mantine/core'
import { serverNow } from '../api/clock.ts'
import { formatRelative, formatTime, useFormats } from './time.ts'

interface Props {
  readonly at: string | number
  /** `moment` Mon 23 Nov 09:00 · `day` 23 Nov · `clock` 09:00 · `exact` with seconds · `relative` 5 minutes ago. */
  readonly style?: 'moment' | 'day' | 'clock' | 'exact' | 'long' | 'weekClock' | 'relative'
  readonly className?: string
}

/** A time in the reader's zone; pointing at it shows UTC and how far it is from now (LANG-4). */
export function When({ at, style = 'moment', className }: Props) {
  const { language } = useFormats()
  const iso = new Date(at).toISOString()
  const relative = formatRelative(at, serverNow(), language)
  const utc = `${formatTime(at, 'exact', language, 'UTC')} UTC`
  return (
    <Tooltip label={style === 'relative' ? utc : `${utc} · ${relative}`}>
      <time dateTime={iso} className={className ? `num ${className}` : 'num'}>
        {style === 'relative' ? relative : formatTime(at, style, language)}
      </time>
    </Tooltip>
  )
}
