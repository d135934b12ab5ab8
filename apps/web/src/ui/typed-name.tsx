import { TextInput } from '@mantine/core'

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange: (typed: string) => void
}

/** The name that has to be typed before a heavy thing is done. */
export default function TypedName({ label, value, onChange }: Props) {
  return <TextInput mt="md" label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)} />
}
