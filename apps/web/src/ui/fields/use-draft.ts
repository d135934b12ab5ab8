import { useState } from 'react'

const same = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b)

export function changedKeys<T extends object>(value: T, base: T): (keyof T)[] {
  return (Object.keys(base) as (keyof T)[]).filter((key) => !same(value[key], base[key]))
}

export interface Draft<T> {
  readonly value: T
  readonly base: T
  readonly changed: readonly (keyof T)[]
  readonly set: (patch: Partial<T>) => void
  readonly discard: () => void
  /** Takes the stored values; no field counts as changed. */
  readonly accept: (stored: T) => void
  /** Takes the stored values; fields edited since they were sent stay changed. */
  readonly rebase: (stored: T) => void
}

/** Fields of a form. Shows updates from the server while nothing is edited; never overwrites unsaved edits. */
export function useDraft<T extends object>(saved: T): Draft<T> {
  const [seen, setSeen] = useState(saved)
  const [base, setBase] = useState(saved)
  const [value, setValue] = useState(saved)
  const changed = changedKeys(value, base)
  const accept = (stored: T) => {
    setBase(stored)
    setValue(stored)
  }
  if (!same(seen, saved)) {
    setSeen(saved)
    if (changed.length === 0) accept(saved)
  }
  return {
    value,
    base,
    changed,
    set: (patch) => setValue((before) => ({ ...before, ...patch })),
    discard: () => accept(saved),
    accept,
    rebase: setBase,
  }
}
