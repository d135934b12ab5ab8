import { useState } from 'react'
import { SignalFlag, signalLetters } from '../game/signal-flag.tsx'
import c from './avatar.module.css'

interface Props {
  readonly src?: string | null
  readonly name: string
  readonly id: string | number
  readonly size?: number
  /** Accessible name; without it the picture is decorative. */
  readonly label?: string
}

/** Picture of a person or team; without one, or when it fails to load, a flag with a border derived from the id. */
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
