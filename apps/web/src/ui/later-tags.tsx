import { Pill, PillsInput, type TagsInputProps } from '@mantine/core'
import { useRef, useState } from 'react'
import { laterParts, tellLost } from './later.tsx'

let code: typeof import('./tags-box.tsx')['default'] | undefined
const load = async () => {
  code ??= (await import('./tags-box.tsx')).default
}
laterParts.add(load)

interface Props extends TagsInputProps {
  readonly value: string[]
}

/** Mantine's TagsInput. Until it is pointed at or reached it shows the chosen tags and takes one away: how they are typed is code that loads then. */
export function LaterTags(props: Props) {
  const [Loaded, setLoaded] = useState(() => code)
  const field = useRef<HTMLInputElement>(null)
  const focused = useRef(false)
  const { label, description, error, disabled = false, placeholder, value, onChange } = props
  if (Loaded) return <Loaded {...props} autoFocus={focused.current} />
  const show = () =>
    load().then(() => {
      focused.current = document.activeElement === field.current
      setLoaded(() => code)
    }, tellLost)
  return (
    <PillsInput
      {...{ label, description, error, disabled }}
      onClick={() => field.current?.focus()}
      onPointerEnter={() => void load().catch(() => {})}
    >
      <Pill.Group disabled={disabled}>
        {value.map((tag) => (
          <Pill key={tag} withRemoveButton={!disabled} onRemove={() => onChange?.(value.filter((one) => one !== tag))}>
            {tag}
          </Pill>
        ))}
        <PillsInput.Field
          ref={field}
          readOnly
          placeholder={placeholder}
          disabled={disabled}
          aria-label={props['aria-label']}
          onFocus={() => void show()}
        />
      </Pill.Group>
    </PillsInput>
  )
}
