import { type RefObject, useEffect, useRef } from 'react'
import { useLocation } from 'react-router'

/** Focuses a field when the address names it after `#`, also when such a link is followed again. */
export function useNamedField<E extends HTMLElement>(name: string): RefObject<E | null> {
  const { hash, key } = useLocation()
  const field = useRef<E>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` differs for each navigation
  useEffect(() => {
    if (hash === `#${name}`) field.current?.focus()
  }, [hash, key, name])
  return field
}
