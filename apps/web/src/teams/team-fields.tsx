import { Textarea, TextInput } from '@mantine/core'
import { teamLimits } from '@vexil/core/limits'
import { useTranslation } from '../ui/text/texts.tsx'

interface Props {
  readonly value: { readonly name: string; readonly bio: string }
  readonly onChange: (value: Props['value']) => void
  readonly wrong: string | undefined
  readonly onRename: () => void
  readonly busy: boolean
  /** For a new team: focuses the name and counts the characters of the bio. */
  readonly fresh?: boolean
}

export function TeamFields({ value, onChange, wrong, onRename, busy, fresh }: Props) {
  const { t } = useTranslation()
  return (
    <>
      <TextInput
        data-autofocus={fresh}
        label={t('teams.name')}
        autoComplete={fresh ? 'off' : undefined}
        maxLength={teamLimits.nameMax}
        value={value.name}
        error={wrong}
        disabled={busy}
        onChange={(event) => {
          onChange({ ...value, name: event.currentTarget.value })
          onRename()
        }}
      />
      <Textarea
        label={t('teams.bio')}
        autosize
        minRows={2}
        maxLength={teamLimits.bioMax}
        description={fresh && `${value.bio.length} / ${teamLimits.bioMax}`}
        value={value.bio}
        disabled={busy}
        onChange={(event) => onChange({ ...value, bio: event.currentTarget.value })}
      />
    </>
  )
}
