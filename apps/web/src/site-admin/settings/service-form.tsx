import { Button, TextInput, type TextInputProps } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { useUnsavedWarning } from '../../shell/unsaved.tsx'
import { ActionButton } from '../../ui/base/action-button.tsx'
import type { Action } from '../../ui/base/use-action.ts'
import { Wide } from '../../ui/fields/form-section.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './service-form.module.css'

interface Props {
  readonly isChanged: boolean
  readonly onDiscard: () => void
  readonly save: Action<void>
  /** Label of the button that saves. */
  readonly label: string
  /** Button that tries the stored values; only without unsaved changes. */
  readonly test: ReactNode
  readonly children: ReactNode
}

/** Fields of an outside service, saved apart from the other settings. */
export function ServiceForm({ isChanged, onDiscard, save, label, test, children }: Props) {
  const { t } = useTranslation()
  useUnsavedWarning(isChanged && !save.busy)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isChanged) void save.start()
  }
  return (
    <form className={c.form} onSubmit={submit} noValidate>
      {/* Input during the save would be replaced by the stored values. */}
      <fieldset role="presentation" className={c.fields} disabled={save.busy}>
        {children}
      </fieldset>
      <Wide>
        <div className={c.buttons}>
          {isChanged ? (
            <>
              <ActionButton action={save} type="submit">
                {label}
              </ActionButton>
              <Button variant="default" disabled={save.busy} onClick={onDiscard}>
                {t('ui.discard')}
              </Button>
            </>
          ) : (
            test
          )}
        </div>
      </Wide>
    </form>
  )
}

interface SecretProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  readonly value: string
  readonly isSet: boolean
  readonly onChange: (value: string) => void
}

/** A secret that can be replaced but not read. */
export function SecretField({ isSet, onChange, ...rest }: SecretProps) {
  const { t } = useTranslation()
  return (
    <TextInput
      type="password"
      autoComplete="new-password"
      spellCheck={false}
      placeholder={isSet ? t('admin.services.stored') : undefined}
      description={isSet ? t('admin.services.keep') : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...rest}
    />
  )
}

/** Values that the environment sets. */
export function FixedValues({ variable, rows }: { readonly variable: string; readonly rows: Readonly<Record<string, string>> }) {
  const { t } = useTranslation()
  return (
    <Wide>
      <p className="dim">{t('admin.services.fixed', { variable })}</p>
      <dl className={c.values}>
        {Object.entries(rows)
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </Wide>
  )
}
