import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useTranslation } from '../ui/text/texts.tsx'

/** A password field whose eye has a name and can be reached by keyboard, and that readers aloud hear to be wrong. */
export function Password(props: PasswordInputProps) {
  const { t } = useTranslation()
  return (
    <PasswordInput
      visibilityToggleButtonProps={{ 'aria-label': t('account.showPassword'), 'aria-hidden': false, tabIndex: 0 }}
      // Mantine marks the field for styles alone.
      aria-invalid={Boolean(props.error) || undefined}
      {...props}
    />
  )
}
