import { TextInput, type TextInputProps } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** The text itself while it is not a number. */
  readonly value: number | string
  readonly onChange: (value: number | string) => void
  /** By which the arrow keys change it. */
  readonly step?: number
  /** The arrow keys stop there; typing does not, so that the form can say what is wrong. */
  readonly min?: number
  readonly max?: number
  /** What is out of range is brought into it when the field is left. */
  readonly clamps?: boolean
  /** Most digits behind the point. */
  readonly decimals?: number
  /** Shown after the number. */
  readonly unit?: string
}

const numberOr = (text: string): number | string => (text === '' || Number.isNaN(Number(text)) ? text : Number(text))

/** A number as text: only its own signs can be typed, arrow up and down change it, digits of other widths and a comma are understood. */
export function NumberField({ value, onChange, step = 1, min, max, clamps, decimals = 0, unit, ...rest }: Props) {
  const [typed, setTyped] = useState('')
  // "1." and "1.50" stay as they were typed while they mean the value.
  const shown = numberOr(typed) === value ? typed : String(value)
  const inRange = (number: number) => Math.min(max ?? number, Math.max(min ?? number, number))
  const leave = () => typeof value === 'number' && inRange(value) !== value && onChange(inRange(value))
  const take = (text: string) => {
    const plain = text
      .normalize('NFKC')
      .replace(',', '.')
      .replace(/\s/g, '')
      .replace(/^(-?)0+(\d)/, '$1$2')
    if (!(decimals > 0 ? new RegExp(`^-?\\d{0,15}([.]\\d{0,${decimals}})?$`) : /^-?\d{0,15}$/).test(plain)) return
    setTyped(plain)
    onChange(numberOr(plain))
  }
  const keyed = (event: KeyboardEvent) => {
    const by = { ArrowUp: step, ArrowDown: -step }[event.key]
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    onChange(inRange(Number(((Number(value) || 0) + by).toFixed(decimals))))
  }
  return (
    <TextInput
      inputMode={decimals > 0 ? 'decimal' : 'numeric'}
      autoComplete="off"
      rightSectionPointerEvents="none"
      rightSection={unit && <span className="small faint">{unit}</span>}
      {...rest}
      value={shown}
      onChange={(event) => take(event.currentTarget.value)}
      onKeyDown={keyed}
      onBlur={clamps ? leave : undefined}
    />
  )
}
