/** Signal flags, the default picture of a team, person or game. */
import { useId } from 'react'
import { Drawing } from '../base/drawing.tsx'

/** One field of a flag: colour and path, 24 by 24. The number is the width of a stroke. */
type Field = readonly [colour: 'red' | 'blue' | 'yellow' | 'black' | 'white', outline: string, stroke?: number]

const whole = 'M0 0h24v24H0z'
const forked = 'M0 0h24l-6 12 6 12H0z'

const flags: Readonly<Record<string, readonly Field[]>> = {
  A: [
    ['white', 'M0 0h12v24H0z'],
    ['blue', 'M12 0h12l-6 12 6 12H12z'],
  ],
  B: [['red', forked]],
  C: [
    ['white', whole],
    ['blue', 'M0 0h24v5H0zM0 19h24v5H0z'],
    ['red', 'M0 9.5h24v5H0z'],
  ],
  D: [
    ['yellow', whole],
    ['blue', 'M0 6h24v12H0z'],
  ],
  E: [
    ['blue', 'M0 0h24v12H0z'],
    ['red', 'M0 12h24v12H0z'],
  ],
  F: [
    ['white', whole],
    ['red', 'M12 0 24 12 12 24 0 12z'],
  ],
  G: [
    ['yellow', whole],
    ['blue', 'M4 0h4v24H4zM12 0h4v24h-4zM20 0h4v24h-4z'],
  ],
  H: [
    ['white', whole],
    ['red', 'M12 0h12v24H12z'],
  ],
  I: [
    ['yellow', whole],
    ['black', 'M12 6a6 6 0 1 0 0 12 6 6 0 0 0 0-12z'],
  ],
  J: [
    ['blue', whole],
    ['white', 'M0 8h24v8H0z'],
  ],
  K: [
    ['yellow', 'M0 0h12v24H0z'],
    ['blue', 'M12 0h12v24H12z'],
  ],
  L: [
    ['yellow', whole],
    ['black', 'M12 0h12v12H12zM0 12h12v12H0z'],
  ],
  M: [
    ['blue', whole],
    ['white', 'M0 0l24 24M24 0 0 24', 4.5],
  ],
  N: [
    ['white', whole],
    ['blue', 'M0 0h6v6H0zM12 0h6v6h-6zM6 6h6v6H6zM18 6h6v6h-6zM0 12h6v6H0zM12 12h6v6h-6zM6 18h6v6H6zM18 18h6v6h-6z'],
  ],
  O: [
    ['yellow', whole],
    ['red', 'M0 0h24v24z'],
  ],
  P: [
    ['blue', whole],
    ['white', 'M7 7h10v10H7z'],
  ],
  Q: [['yellow', whole]],
  R: [
    ['red', whole],
    ['yellow', 'M9.5 0h5v24h-5zM0 9.5h24v5H0z'],
  ],
  S: [
    ['white', whole],
    ['blue', 'M7 7h10v10H7z'],
  ],
  T: [
    ['red', 'M0 0h8v24H0z'],
    ['white', 'M8 0h8v24H8z'],
    ['blue', 'M16 0h8v24h-8z'],
  ],
  U: [
    ['white', whole],
    ['red', 'M0 0h12v12H0zM12 12h12v12H12z'],
  ],
  V: [
    ['white', whole],
    ['red', 'M0 0l24 24M24 0 0 24', 4.5],
  ],
  W: [
    ['blue', whole],
    ['white', 'M4.5 4.5h15v15h-15z'],
    ['red', 'M8.5 8.5h7v7h-7z'],
  ],
  X: [
    ['white', whole],
    ['blue', 'M9.5 0h5v24h-5zM0 9.5h24v5H0z'],
  ],
  Y: [
    ['yellow', whole],
    ['red', 'M0 0h4L0 4zM8 0h4L0 12V8zM16 0h4L0 20v-4zM24 0v4L4 24H0zM24 8v4L12 24H8zM24 16v4l-4 4h-4z'],
  ],
  Z: [
    ['black', 'M0 0v24l12-12z'],
    ['yellow', 'M0 0h24L12 12z'],
    ['blue', 'M24 0v24L12 12z'],
    ['red', 'M0 24h24L12 12z'],
  ],
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Deterministic: the same id always gives the same letter. */
function letterOfId(id: string | number, position: number): string {
  let sum = 7 + position * 31
  for (const sign of String(id)) sum = (sum * 31 + sign.charCodeAt(0)) >>> 0
  return alphabet[sum % 26] as string
}

/** The first Latin letters of a name, without accents; derived from the id for a name without any. */
export function signalLetters(name: string, id: string | number, count = 1): string {
  const latin = name
    .normalize('NFKD')
    .toUpperCase()
    .replace(/[^A-Z]/g, '')
    .slice(0, count)
  let letters = latin
  if (latin === '') for (let position = 0; position < count; position++) letters += letterOfId(id, position)
  return letters
}

/** Border colour and corner field of a flag, derived from the id to distinguish equal letters. */
export function borderOf(id: string | number): { readonly colour: string; readonly corner: number } {
  let sum = /^\d+$/.test(String(id)) ? Number(id) : 0
  // Consecutive ids: forty in a row all differ.
  if (sum === 0) for (const sign of String(id)) sum = (sum * 33 + sign.charCodeAt(0)) >>> 0
  return { colour: `var(--c-${(sum % 10) + 1})`, corner: Math.floor(sum / 10) % 4 }
}

interface Props {
  /** A to Z. */
  readonly letter: string
  /** Selects the border; without it the flag has no border. */
  readonly id?: string | number
  readonly size?: number
  readonly label?: string
}

/** One flag of the signal alphabet; decorative without a label. */
export function SignalFlag({ letter, id, size = 24, label }: Props) {
  const clip = useId()
  const fields = flags[letter] ?? []
  const shape = letter === 'A' || letter === 'B' ? forked : whole
  const edge = 24 / size
  return (
    <Drawing width={size} box="0 0 24 24" label={label}>
      <clipPath id={clip}>
        <path d={shape} />
      </clipPath>
      <g clipPath={`url(#${clip})`}>
        {fields.map(([colour, outline, stroke]) =>
          stroke ? (
            <path key={outline} stroke={`var(--f-${colour})`} strokeWidth={stroke} d={outline} />
          ) : (
            <path key={outline} fill={`var(--f-${colour})`} d={outline} />
          ),
        )}
        {id === undefined ? null : <Border id={id} shape={shape} />}
        <path fill="none" stroke="var(--f-edge)" strokeWidth={edge * 2} d={shape} />
      </g>
    </Drawing>
  )
}

function Border({ id, shape }: { readonly id: string | number; readonly shape: string }) {
  const { colour, corner } = borderOf(id)
  return (
    <>
      <path fill="none" stroke="var(--surface)" strokeWidth="8" d={shape} />
      <path fill="none" stroke={colour} strokeWidth="5" d={shape} />
      <rect x={corner % 2 ? 16 : 0} y={corner > 1 ? 16 : 0} width="8" height="8" fill={colour} />
    </>
  )
}
