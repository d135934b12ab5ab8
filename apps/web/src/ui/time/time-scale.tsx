import { useServerNow } from '../../api/clock.ts'
import { hourTicks } from './hour-ticks.ts'
import { formatTime, useFormats } from './time.ts'
import c from './time-scale.module.css'

interface Props {
  readonly start: string
  readonly end: string
  /** For instance "28 of 48 hours gone". */
  readonly label: string
}

/** The course of a game: a bar with ticks at full hours, labels (two on phones) and a mark at now. */
export function TimeScale({ start, end, label }: Props) {
  const { language } = useFormats()
  const [from, to] = [Date.parse(start), Date.parse(end)]
  const elapsed = Math.min(1, Math.max(0, (useServerNow(10_000) - from) / (to - from)))
  const long = to - from > 6 * 86_400_000
  const ticks = hourTicks(from, to)
  // Labels show the time; at the ends and where the day changes, the day too.
  const labels = [from, ...ticks.filter(({ labelled }) => labelled).map(({ at }) => at), to]
  const name = (at: number, index: number) => {
    const ends = index === 0 || index === labels.length - 1
    const newDay = new Date(at).getDate() !== new Date(labels[index - 1] ?? at).getDate()
    return formatTime(at, long ? 'day' : ends || newDay ? 'weekClock' : 'clock', language)
  }
  return (
    <div className={c.scale} role="img" aria-label={label}>
      <div className={c.bar}>
        <i style={{ width: `${elapsed * 100}%` }} />
        <b style={{ left: `${elapsed * 100}%` }} />
      </div>
      <div className={c.ticks} aria-hidden>
        {ticks.map(({ at, share, labelled }) => (
          <i key={at} style={{ left: `${share * 100}%` }} data-major={labelled || undefined} />
        ))}
      </div>
      <div className={c.names} aria-hidden>
        {labels.map((at, index) => (
          <span key={at} style={{ left: `${((at - from) / (to - from)) * 100}%` }}>
            {name(at, index)}
          </span>
        ))}
      </div>
    </div>
  )
}

export function TimeBar({ start, end }: { readonly start: string; readonly end: string }) {
  const [from, to] = [Date.parse(start), Date.parse(end)]
  const elapsed = Math.min(1, Math.max(0, (useServerNow(10_000) - from) / (to - from)))
  return (
    <span className={c.thin} aria-hidden>
      <i style={{ width: `${elapsed * 100}%` }} />
    </span>
  )
}
