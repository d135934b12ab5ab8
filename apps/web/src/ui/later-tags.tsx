import { Pill, PillsInput, type TagsInputProps } from '@mantine/core'
import { useRef, useState } from 'react'
import { laterParts, tellLost } from './later.tsx'
import { once } from './once.ts'

let code: typeof import('./tags-box.tsx')['default'] | undefined
const load = once(async () => {
  code = (await import('./tags-box.tsx')).default
})
laterParts.add(load)

interface Props extends TagsInputProps {
  readonly value: string[]
}

/** Mantine's TagsInput. Until it is reached it shows the chosen tags, takes one away and adds one by Enter: the rest is code that loads then. */
export function LaterTags(props: Props) {
  const [Loaded, setLoaded] = useState(() => code)
  const field = useRef<HTMLInputElement>(null)
  const focused = useRef(false)
  const typed = useRef('')
  const { label, description, error, disabled = false, placeholder, value, maxTags = Number.POSITIVE_INFINITY, onChange } = props
  if (Loaded) return <Loaded {...props} autoFocus={focused.current} defaultSearchValue={typed.current} />
  const show = () =>
    load().then(() => {
      focused.current = document.activeElement === field.current
      typed.current = field.current?.value ?? ''
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
          placeholder={placeholder}
          disabled={disabled}
          aria-label={props['aria-label']}
          maxLength={props.maxLength}
          onFocus={() => void show()}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
            // It must not send the form around it.
            event.preventDefault()
            const name = event.currentTarget.value.trim()
            event.currentTarget.value = ''
            if (name && !value.includes(name) && value.length < maxTags) onChange?.([...value, name])
          }}
        />
      </Pill.Group>
    </PillsInput>
  )
}
