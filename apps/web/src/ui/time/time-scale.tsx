import { useServerNow } from '../../api/clock.ts'
import { formatTime, useFormats } from './time.ts'
import c from './time-scale.module.css'

interface Props {
  readonly start: string
  readonly end: string
  /** For instance "28 of 48 hours gone". */
  readonly label: string
}

/** The course of a game: a bar in sixteen parts with five labels (two on phones) and a mark at now. */
export function TimeScale({ start, end, label }: Props) {
  const { language } = useFormats()
  const [from, to] = [Date.parse(start), Date.parse(end)]
  const gone = Math.min(1, Math.max(0, (useServerNow(10_000) - from) / (to - from)))
  const long = to - from > 6 * 86_400_000
  // Labels show the time; where the day changes, the day too.
  const name = (share: number) => {
    const at = from + share * (to - from)
    const ends = share === 0 || share === 1
    const newDay = new Date(at).getDate() !== new Date(from + (share - 0.25) * (to - from)).getDate()
    return formatTime(at, long ? 'day' : ends || newDay ? 'weekClock' : 'clock', language)
  }
  return (
    <div className={c.scale} role="img" aria-label={label}>
      <div className={c.bar}>
        <i style={{ width: `${gone * 100}%` }} />
        <b style={{ left: `${gone * 100}%` }} />
      </div>
      <div className={c.ticks} aria-hidden>
        {Array.from({ length: 17 }, (_, step) => step / 16).map((share) => (
          <i key={share} style={{ left: `${share * 100}%` }} data-major={share % 0.25 === 0 || undefined} />
        ))}
      </div>
      <div className={c.names} aria-hidden>
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <span key={share} style={{ left: `${share * 100}%` }}>
            {name(share)}
          </span>
        ))}
      </div>
    </div>
  )
}

export function TimeBar({ start, end }: { readonly start: string; readonly end: string }) {
  const [from, to] = [Date.parse(start), Date.parse(end)]
  const gone = Math.min(1, Math.max(0, (useServerNow(10_000) - from) / (to - from)))
  return (
    <span className={c.thin} aria-hidden>
      <i style={{ width: `${gone * 100}%` }} />
    </span>
  )
}
