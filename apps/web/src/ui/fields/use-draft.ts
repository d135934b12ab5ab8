import { useState } from 'react'

/** Two values of a field, compared by what they say. */
const same = (a: unknown, b: unknown) => a === b || JSON.stringify(a) === JSON.stringify(b)

export function changedKeys<T extends object>(value: T, base: T): (keyof T)[] {
  return (Object.keys(base) as (keyof T)[]).filter((key) => !same(value[key], base[key]))
}

export interface Draft<T> {
  readonly value: T
  /** What was there when the editing began. */
  readonly base: T
  readonly changed: readonly (keyof T)[]
  readonly set: (patch: Partial<T>) => void
  readonly discard: () => void
  /** Takes what the server has stored; nothing counts as changed any more. */
  readonly accept: (stored: T) => void
  /** These values are stored now; what was typed since they were sent stays and counts as changed. */
  readonly rebase: (stored: T) => void
}

/** The fields of a form. Updates from the server are shown while nothing is edited; they never overwrite unsaved edits. */
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
