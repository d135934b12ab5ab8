import { useEffect, useRef } from 'react'

/** Returns whether the component is still shown: an action that ends later must not open another screen or discard its changes. */
export function useIsHere(): () => boolean {
  const isHere = useRef(false)
  useEffect(() => {
    isHere.current = true
    return () => {
      isHere.current = false
    }
  }, [])
  return () => isHere.current
}
