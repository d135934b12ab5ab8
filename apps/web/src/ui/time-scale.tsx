import { useServerNow } from '../api/clock.ts'
import { formatTime, useFormats } from './time.ts'
import c from './time-scale.module.css'

interface Props {
  readonly start: string
  readonly end: string
  /** Spoken text, for instance "28 of 48 hours gone". */
  readonly label: string
}

const width = 720

/** The course of a game: a bar with twelve divisions, five of them named, and a mark at now. */
export function TimeScale({ start, end, label }: Props) {
  const { language } = useFormats()
  const [from, to] = [Date.parse(start), Date.parse(end)]
  const gone = Math.min(1, Math.max(0, (useServerNow(10_000) - from) / (to - from)))
  const long = to - from > 6 * 86_400_000
  // Marks inside a day show the clock alone; where the day changes, the day stands with it.
  const name = (share: number) => {
    const at = from + share * (to - from)
    const ends = share === 0 || share === 1
    const newDay = new Date(at).getDate() !== new Date(from + (share - 0.25) * (to - from)).getDate()
    return formatTime(at, long ? 'day' : ends || newDay ? 'weekClock' : 'clock', language)
  }
  return (
    <div className={c.scale} role="img" aria-label={label}>
      <svg className={c.wide} viewBox={`0 -2 ${width} 44`} aria-hidden>
        <path stroke="var(--line)" strokeWidth="6" d={`M0 8h${width}`} />
        <path stroke="var(--accent-text)" strokeWidth="6" d={`M0 8h${gone * width}`} />
        {Array.from({ length: 17 }, (_, step) => {
          const x = Math.min(width - 0.5, Math.max(0.5, (step / 16) * width))
          const major = step % 4 === 0
          return <path key={x} stroke={major ? 'var(--edge)' : 'var(--g-4)'} d={`M${x} 15v${major ? 8 : 4}`} />
        })}
        <path fill="var(--ink)" d={`M${Math.min(width - 2, Math.max(0, gone * width - 1))} -2h2v20h-2z`} />
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <text key={share} x={share * width} y="38" textAnchor={share === 0 ? 'start' : share === 1 ? 'end' : 'middle'}>
            {name(share)}
          </text>
        ))}
      </svg>
      <div className={c.small} aria-hidden>
        <span className={c.bar}>
          <i style={{ width: `${gone * 100}%` }} />
        </span>
        <span className={c.ends}>
          <span>{name(0)}</span>
          <span>{name(1)}</span>
        </span>
      </div>
    </div>
  )
}

/** A thin bar of the elapsed share, for heads and cards. */
export function TimeBar({ start, end }: { readonly start: string; readonly end: string }) {
  const [from, to] = [Date.parse(start), Date.parse(end)]
  const gone = Math.min(1, Math.max(0, (useServerNow(10_000) - from) / (to - from)))
  return (
    <span className={c.thin} aria-hidden>
      <i style={{ width: `${gone * 100}%` }} />
    </span>
  )
}
