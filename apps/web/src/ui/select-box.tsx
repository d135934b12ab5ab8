import { Select, type SelectProps } from '@mantine/core'
import { useEffect, useReducer } from 'react'

/**
 * Mantine's Select learns the id of its list while the list is drawn, and tells it to the field when that is drawn the next time. Without
 * that its field would be "closed" to readers aloud when it is opened for the first time.
 */
export default function SelectBox({ onDropdownOpen, ...props }: SelectProps<string>) {
  const [opened, open] = useReducer((count: number) => count + 1, 0)
  const [, drawAgain] = useReducer((count: number) => count + 1, 0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time that it opens
  useEffect(() => {
    const frame = requestAnimationFrame(() => drawAgain())
    return () => cancelAnimationFrame(frame)
  }, [opened])
  return (
    <Select
      {...props}
      onDropdownOpen={() => {
        open()
        onDropdownOpen?.()
      }}
    />
  )
}
