import type { ChallengeCategory } from '@vexil/core/vocabulary'
import type { CSSProperties } from 'react'
import { Drawing } from '../base/drawing.tsx'

/** Path of each category's charge, 16 by 16. */
const charges = {
  Misc: 'M3 3h5v5H3zM8 8h5v5H8z',
  Crypto: 'M8 2.5a3.6 3.6 0 0 0-1.7 6.77L5.2 13.5h5.6L9.7 9.27A3.6 3.6 0 0 0 8 2.5z',
  Pwn: 'M9.6 2 3.6 9h3.6l-.8 5 6-7H8.8z',
  Web: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM3.9 8.7h1.9c.06 1 .25 1.9.55 2.6A4.2 4.2 0 0 1 3.9 8.7zM7.1 8.7h1.8C8.8 10.8 8.3 12.1 8 12.1S7.2 10.8 7.1 8.7zM10.2 8.7h1.9a4.2 4.2 0 0 1-2.45 2.6c.3-.7.49-1.6.55-2.6zM3.9 7.3a4.2 4.2 0 0 1 2.45-2.6c-.3.7-.49 1.6-.55 2.6zM7.1 7.3C7.2 5.2 7.7 3.9 8 3.9s.8 1.3.9 3.4zM10.2 7.3c-.06-1-.25-1.9-.55-2.6a4.2 4.2 0 0 1 2.45 2.6z',
  Reverse: 'M8 3v10L2.5 8zM13.5 3v10L8 8z',
  Blockchain: 'M2.5 2.5h4.5v4.5H2.5zM9 9h4.5v4.5H9zM6 6h1.6l2.4 2.4V10H8.4L6 7.6z',
  Forensics:
    'M6.8 2.2a4.6 4.6 0 1 0 2.53 8.44l3 3 1.53-1.53-3-3A4.6 4.6 0 0 0 6.8 2.2zm0 2a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2z',
  Hardware:
    'M5 5h6v6H5zM5.6 2h1.4v2H5.6zM9 2h1.4v2H9zM5.6 12h1.4v2H5.6zM9 12h1.4v2H9zM2 5.6h2V7H2zM2 9h2v1.4H2zM12 5.6h2V7h-2zM12 9h2v1.4h-2z',
  Mobile: 'M4.8 2h6.4v12H4.8zM6.2 3.6v7h3.6v-7zM7.2 11.7h1.6v1.2H7.2z',
  PPC: 'M2.8 3.2h4.2v2.4H2.8zM2.8 6.8h7.2v2.4H2.8zM2.8 10.4h10.4v2.4H2.8z',
  AI: 'M8 1.8c.5 3.7 2.5 5.7 6.2 6.2-3.7.5-5.7 2.5-6.2 6.2C7.5 10.5 5.5 8.5 1.8 8 5.5 7.5 7.5 5.5 8 1.8z',
  Pentest: 'M8 1.8 13.5 3.6V8c0 3-2.2 5.2-5.5 6.4C4.7 13.2 2.5 11 2.5 8V3.6zM8 3.48V12.8c2.5-1.05 4-2.7 4-4.8V4.7z',
  OSINT:
    'M8 3.6c3 0 5 2 6.4 4.4C13 10.4 11 12.4 8 12.4S3 10.4 1.6 8C3 5.6 5 3.6 8 3.6zm0 2a2.4 2.4 0 1 0 0 4.8 2.4 2.4 0 0 0 0-4.8z',
} as const satisfies Record<ChallengeCategory, string>

export function categoryField(category: ChallengeCategory): CSSProperties {
  const name = category.toLowerCase()
  return { background: `var(--cat-${name})`, color: `var(--cat-${name}-ink)` }
}

interface Props {
  readonly category: ChallengeCategory
  readonly size?: number
  /** Draws the charge alone in the current colour, for `categoryField`. */
  readonly bare?: boolean
  /** False where the category's name is shown beside the sign. */
  readonly labelled?: boolean
}

/** The flag of a category, distinct by colour and by shape. */
export function CategorySign({ category, size = 20, bare, labelled = true }: Props) {
  const name = category.toLowerCase()
  return (
    <Drawing width={size} box="0 0 16 16" label={labelled ? category : undefined}>
      {!bare && <path fill={`var(--cat-${name})`} d="M0 0h16v16H0z" />}
      <path fill={bare ? 'currentColor' : `var(--cat-${name}-ink)`} fillRule="evenodd" d={charges[category]} />
    </Drawing>
  )
}
