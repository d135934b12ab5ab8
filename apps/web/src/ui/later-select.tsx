import { type SelectProps, TextInput } from '@mantine/core'
import { IconSelector } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { laterParts, tellLost } from './later.tsx'
import { once } from './once.ts'

let code: typeof import('./select-box.tsx')['default'] | undefined
const load = once(async () => {
  code = (await import('./select-box.tsx')).default
})
laterParts.add(load)

interface Props extends Omit<SelectProps<string>, 'data'> {
  readonly data: { readonly value: string; readonly label: string }[]
}

/** Mantine's Select. Until it is pointed at or reached it is a field with the chosen text alone: its list is code that loads then. */
export function LaterSelect(props: Props) {
  const [Loaded, setLoaded] = useState(() => code)
  const field = useRef<HTMLInputElement>(null)
  const focused = useRef(false)
  const pressed = useRef(false)
  const { label, description, error, disabled, placeholder, leftSection, className, value, data } = props
  if (Loaded) return <Loaded {...props} autoFocus={focused.current} defaultDropdownOpened={pressed.current} />
  const press = () => {
    pressed.current = true
  }
  const show = () =>
    load().then(() => {
      focused.current = document.activeElement === field.current
      setLoaded(() => code)
    }, tellLost)
  return (
    <TextInput
      ref={field}
      {...{ label, description, error, disabled, placeholder, leftSection, className }}
      aria-label={props['aria-label']}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      readOnly
      value={data.find((one) => one.value === value)?.label ?? ''}
      rightSection={<IconSelector size={16} stroke={1.6} />}
      onPointerEnter={() => void load().catch(() => {})}
      onFocus={() => void show()}
      // Before the focus comes, at which this field may be gone.
      onPointerDown={press}
      onClick={press}
    />
  )
}
