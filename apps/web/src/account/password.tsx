import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useTranslation } from '../ui/text/texts.tsx'

/** A password field whose reveal button has a name and is focusable, and whose errors screen readers announce. */
export function Password(props: PasswordInputProps) {
  const { t } = useTranslation()
  return (
    <PasswordInput
      visibilityToggleButtonProps={{ 'aria-label': t('account.showPassword'), 'aria-hidden': false, tabIndex: 0 }}
      // Mantine marks the field by styles only.
      aria-invalid={Boolean(props.error) || undefined}
      {...props}
    />
  )
}
