import { Select as MantineSelect, type SelectProps } from '@mantine/core'
import { useEffect, useReducer } from 'react'

/**
 * Mantine's Select learns the id of its list while the list is drawn, and passes it to the field when that is drawn the next time. Without
 * the second drawing a screen reader says "closed" when the list opens for the first time.
 */
export function Select({ onDropdownOpen, ...props }: SelectProps<string>) {
  const [opened, open] = useReducer((count: number) => count + 1, 0)
  const [, drawAgain] = useReducer((count: number) => count + 1, 0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that it opens
  useEffect(() => {
    const frame = requestAnimationFrame(() => drawAgain())
    return () => cancelAnimationFrame(frame)
  }, [opened])
  return (
    <MantineSelect
      {...props}
      onDropdownOpen={() => {
        open()
        onDropdownOpen?.()
      }}
    />
  )
}
