import type { ReactNode } from 'react'

interface Props {
  readonly width: number
  readonly height?: number
  readonly box: string
  /** Spoken text; without it the drawing is decoration. */
  readonly label?: string
  readonly children: ReactNode
}

/** A small drawing of ours: spoken when it has a label, silent otherwise. */
export function Drawing({ width, height = width, box, label, children }: Props) {
  return (
    <svg width={width} height={height} viewBox={box} role={label ? 'img' : undefined} aria-label={label} aria-hidden={!label}>
      {children}
    </svg>
  )
}
