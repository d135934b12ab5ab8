import { useState } from 'react'
import { SignalFlag, signalLetters } from '../game/signal-flag.tsx'
import c from './avatar.module.css'

interface Props {
  /** Address of the picture, if there is one. */
  readonly src?: string | null
  readonly name: string
  readonly id: string | number
  readonly size?: number
  /** Spoken text; without it the picture is decoration, because its name is shown beside it. */
  readonly label?: string
}

/** Picture of a person or team, or the flag of its initial with a border by its id, so that two of one initial can be told apart (SB-21). A picture that cannot be loaded gives way to the flag. */
export function Avatar({ src, name, id, size = 32, label }: Props) {
  const [broken, setBroken] = useState<string>()
  if (!src || src === broken) return <SignalFlag letter={signalLetters(name, id)} id={id} size={size} label={label} />
  return (
    <img
      className={c.picture}
      src={src}
      width={size}
      height={size}
      alt={label ?? ''}
      loading="lazy"
      decoding="async"
      onError={() => setBroken(src)}
    />
  )
}
