import { Drawing } from '../base/drawing.tsx'
import { useTranslation } from '../text/texts.tsx'

const outline = 'M.75 1.2h9.7L15 7l-4.55 5.8H.75z'
const numerals = {
  1: 'M5.9 3.3h1.6v7.4H5.8V5.2l-1.6.6V4.3z',
  2: 'M3.8 5.5C3.8 4 4.8 3.15 6.2 3.15S8.6 4 8.6 5.3c0 1-.5 1.7-1.5 2.65L5.9 9.2h2.8v1.5H3.7V9.5l2.3-2.35c.6-.6.9-1.05.9-1.65 0-.55-.3-.9-.75-.9-.5 0-.75.35-.75.9z',
  3: 'M3.9 5.2c.05-1.3 1-2.05 2.3-2.05S8.5 3.9 8.5 5.05c0 .8-.4 1.35-1.05 1.65.8.25 1.25.9 1.25 1.75 0 1.4-1 2.35-2.5 2.35S3.7 9.9 3.65 8.5h1.6c.05.55.4.9.95.9.5 0 .85-.35.85-.9s-.4-.9-1.15-.9h-.5V6.25h.5c.65 0 1-.3 1-.8 0-.45-.3-.75-.75-.75s-.75.3-.8.75z',
} as const
const metals = { 1: 'gold', 2: 'silver', 3: 'bronze' } as const

export type Place = 1 | 2 | 3

interface Props {
  readonly place: Place
  /** Not yet taken: an outline. */
  readonly open?: boolean
  readonly size?: number
  /** Accessible name, for instance with team and time. */
  readonly label?: string
}

/** First, second or third blood. The numeral carries the meaning, not the colour. */
export function BloodMark({ place, open, size = 16, label }: Props) {
  const { t } = useTranslation()
  const accessibleName = label ?? t(open ? `ui.bloodOpen.${place}` : `ui.blood.${place}`)
  const metal = metals[place]
  return (
    <Drawing width={size} height={(size * 14) / 16} box="0 0 16 14" label={accessibleName}>
      {open ? (
        <path fill="none" stroke={`var(--${metal}-line)`} strokeWidth="1.25" d={outline} />
      ) : (
        <path fill={`var(--${metal})`} d="M0 .5h10.8L16 7l-5.2 6.5H0z" />
      )}
      <path fill={open ? `var(--${metal}-line)` : 'var(--metal-ink)'} d={numerals[place]} />
    </Drawing>
  )
}
