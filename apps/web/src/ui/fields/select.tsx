import { Select as MantineSelect, type SelectProps } from '@mantine/core'
import { useEffect, useReducer } from 'react'

/**
 * Mantine passes the id of the list to the field one render late. The extra render keeps a screen reader from saying
 * "closed" at the first opening.
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
