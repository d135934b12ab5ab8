import type { ReactNode } from 'react'
import { serverNow } from '../../api/clock.ts'
import { Tooltip } from '../overlays/tooltip.tsx'
import { formatRelative, formatTime, useFormats, zoneName } from './time.ts'

interface TipProps {
  readonly at: string | number
  /** End of a time span that starts at `at`. */
  readonly until?: string | number
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** Makes it focusable by Tab, unless it is inside a focusable element. */
const reachable = (element: HTMLElement | null) => {
  if (element && !element.closest('a, button, [role="button"], [role="option"], label')) element.tabIndex = 0
}

/** Tooltip of a time: hover, Tab and touch show zone, UTC and distance from now. */
export function TimeTip({ at, until, className, children }: TipProps) {
  const { language } = useFormats()
  return (
    <Tooltip label={[at, until].map((one) => one !== undefined && <Zones key={one} at={one} language={language} />)} touch>
      <time ref={reachable} dateTime={new Date(at).toISOString()} className={className ? `num ${className}` : 'num'}>
        {children}
      </time>
    </Tooltip>
  )
}

/** The same in one line, for accessible names: "1 May 09:30:15 GMT+2 (07:30 UTC)". */
export const withZone = (at: string | number, language: string): string =>
  `${formatTime(at, 'exact', language)} ${zoneName(at, language)} (${new Date(at).toISOString().slice(11, 16)} UTC)`

function Zones({ at, language }: { readonly at: string | number; readonly language: string }) {
  return (
    <div>
      {formatTime(at, 'exact', language)} {zoneName(at, language)}
      <br />
      {formatTime(at, 'exact', language, 'UTC')} UTC · {formatRelative(at, serverNow(), language)}
    </div>
  )
}

interface Props {
  readonly at: string | number
  /** `moment` Mon 23 Nov 09:00 · `day` 23 Nov · `clock` 09:00 · `exact` with seconds · `relative` 5 minutes ago. */
  readonly style?: 'moment' | 'day' | 'clock' | 'exact' | 'long' | 'weekClock' | 'relative'
  readonly className?: string
}

export function When({ at, style = 'moment', className }: Props) {
  const { language } = useFormats()
  return (
    <TimeTip at={at} className={className}>
      {style === 'relative' ? formatRelative(at, serverNow(), language) : formatTime(at, style, language)}
    </TimeTip>
  )
}
