import { SignalFlag, signalLetters } from '../game/signal-flag.tsx'
import { Tooltip } from '../overlays/tooltip.tsx'
import { useTranslation } from '../text/texts.tsx'
import c from './hoist.module.css'

interface Props {
  readonly title: string
  readonly id: number
  /** Replaces the flags, cropped to 3:4. */
  readonly poster?: string | null
}

/** The short name of a game in signal flags on a staff: vertical on wide windows, horizontal on phones. */
export function Hoist({ title, id, poster }: Props) {
  const { t } = useTranslation()
  if (poster) return <img className={c.poster} src={poster} alt="" decoding="async" />
  return (
    <Tooltip label={t('ui.hoist')}>
      <div className={c.hoist}>
        {[...signalLetters(title, id, 4)].map((letter, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a letter may stand twice in a name
          <SignalFlag key={position} letter={letter} size={72} />
        ))}
      </div>
    </Tooltip>
  )
}

export function HoistPair({ title, id, poster, size = 20 }: Props & { readonly size?: number }) {
  if (poster)
    return <img className={c.thumb} src={poster} alt="" style={{ width: size * 2 + 4, height: size }} decoding="async" />
  return (
    <span className={c.pair}>
      {[...signalLetters(title, id, 2)].map((letter, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a letter may stand twice in a name
        <SignalFlag key={position} letter={letter} size={size} />
      ))}
    </span>
  )
}
