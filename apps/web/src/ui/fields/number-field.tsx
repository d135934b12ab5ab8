import { TextInput, type TextInputProps } from '@mantine/core'
import { clamp } from '@mantine/hooks'
import { type KeyboardEvent, useState } from 'react'

interface Props extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** A string while the text is not a number. */
  readonly value: number | string
  readonly onChange: (value: number | string) => void
  readonly step?: number
  /** Limits the arrow keys; typed values may exceed it, so that the form can report them. */
  readonly min?: number
  readonly max?: number
  /** Clamps the value on blur. */
  readonly clamps?: boolean
  /** Most decimals. */
  readonly decimals?: number
  readonly unit?: string
}

const numberOr = (text: string): number | string => (text === '' || Number.isNaN(Number(text)) ? text : Number(text))

/** A number field. Accepts only its own characters, full-width digits and a comma; arrow up and down change the value. */
export function NumberField({ value, onChange, step = 1, min, max, clamps, decimals = 0, unit, ...rest }: Props) {
  const [typed, setTyped] = useState('')
  // "1." and "1.50" stay as typed while they equal the value.
  const shown = numberOr(typed) === value ? typed : String(value)
  const inRange = (number: number) => clamp(number, min, max)
  const leave = () => typeof value === 'number' && inRange(value) !== value && onChange(inRange(value))
  const accept = (text: string) => {
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
      onChange={(event) => accept(event.currentTarget.value)}
      onKeyDown={keyed}
      onBlur={clamps ? leave : undefined}
    />
  )
}
