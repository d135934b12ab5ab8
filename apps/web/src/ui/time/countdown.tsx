import { useEffect, useRef } from 'react'
import { useServerNow } from '../../api/clock.ts'
import { useTranslation } from '../text/texts.tsx'
import c from './countdown.module.css'
import { formatLeft } from './time.ts'

interface Props {
  readonly to: string | number
  /** `clock` is the large clock of a page, `head` is for a bar, `text` is inline. */
  readonly size?: 'clock' | 'head' | 'text'
  /** Called once at the moment, also when it is already past. */
  readonly onEnd?: () => void
}

const longest = 999 * 3_600_000

/** Time left by the server's clock, in a box of constant width. */
export function Countdown({ to, size = 'text', onEnd }: Props) {
  const { t } = useTranslation()
  const end = new Date(to).getTime()
  const left = end - useServerNow()
  const over = left <= 0
  const latestOnEnd = useRef(onEnd)
  latestOnEnd.current = onEnd
  useEffect(() => {
    if (over) latestOnEnd.current?.()
  }, [over])

  if (left > longest) return <span className={c[size]}>{t('ui.longTime')}</span>
  const [hours, minutes, seconds] = formatLeft(left)
  const colon = <i className={c.colon}>:</i>
  return (
    <span className={c[size]} role="timer">
      {hours}
      {colon}
      {minutes}
      {colon}
      {seconds}
    </span>
  )
}
