import type { ReactNode } from 'react'

interface Props {
  readonly width: number
  readonly height?: number
  readonly box: string
  /** Accessible name; without it the drawing is decorative. */
  readonly label?: string
  readonly children: ReactNode
}

export function Drawing({ width, height = width, box, label, children }: Props) {
  return (
    <svg width={width} height={height} viewBox={box} role={label ? 'img' : undefined} aria-label={label} aria-hidden={!label}>
      {children}
    </svg>
  )
}
