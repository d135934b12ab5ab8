import type { ReactNode } from 'react'
import c from './stat.module.css'

interface Props {
  readonly value: ReactNode
  /** For instance "of 42". */
  readonly of?: ReactNode
  readonly label: string
  /** `row` places the label after the number. */
  readonly form?: 'column' | 'row'
}

export function Stat({ value, of, label, form = 'column' }: Props) {
  return (
    <span className={form === 'row' ? c.row : c.column}>
      <b>
        {value}
        {of !== undefined && <span className={c.of}> {of}</span>}
      </b>
      <span className={c.label}>{label}</span>
    </span>
  )
}
