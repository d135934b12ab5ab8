import { Select as MantineSelect, type SelectProps } from '@mantine/core'
import { useEffect, useReducer } from 'react'

/** Mantine passes the list id to the field one render late; without another render a screen reader says "closed". */
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
