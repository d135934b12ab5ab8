import { Drawing } from './drawing.tsx'

interface Props {
  readonly size?: number
  /** Accessible name; without it the mark is decorative. */
  readonly label?: string
}

/** Pennant in the colour of the text: solved by the own team, running, the entry in force. */
export function Pennant({ size = 12, label }: Props) {
  return (
    <Drawing width={size} box="0 0 12 12" label={label}>
      <path fill="currentColor" d="M1 0h1.5v12H1zM3.3 1 12 4.6 3.3 8.2z" />
    </Drawing>
  )
}

/** Pennant in outline: solved after the end, which the board does not count. */
export function PennantOutline({ size = 12, label }: Props) {
  return (
    <Drawing width={size} box="0 0 12 12" label={label}>
      <path fill="currentColor" d="M1 0h1.5v12H1z" />
      <path fill="none" stroke="currentColor" d="M3.8 1.75 10.7 4.6 3.8 7.45z" />
    </Drawing>
  )
}

export function SolveMark({ size = 10, label }: Props) {
  return (
    <Drawing width={size} box="0 0 10 10" label={label}>
      <path fill="currentColor" d="M1 1.2 9.5 5 1 8.8z" />
    </Drawing>
  )
}
