import { type FloatingPosition, Tooltip as MantineTooltip } from '@mantine/core'
import type { ReactNode } from 'react'

export interface TooltipWords {
  readonly label: ReactNode
  readonly position?: FloatingPosition
  readonly multiline?: boolean
  readonly maw?: number
}
interface Props extends TooltipWords {
  readonly id: string
  readonly target: HTMLElement | null
  readonly opened: boolean
}

/** The words of a tooltip, beside what is pointed at. */
export default function TooltipBox({ id, label, ...rest }: Props) {
  return <MantineTooltip label={<span id={id}>{label}</span>} {...rest} />
}
