import { TextInput } from '@mantine/core'
import { isEmail } from '@vexil/core/accounts'
import { accountLimits } from '@vexil/core/limits'
import { t, useTranslation } from '../ui/text/texts.tsx'
import { NewPassword, RetypedPassword } from './password-field.tsx'

export const emptyAccount = { email: '', userName: '', password: '', again: '' }
export type AccountForm = typeof emptyAccount
export type WrongAccount = Partial<Record<keyof AccountForm, string | undefined>>

export function checkAccount(form: AccountForm): WrongAccount {
  const { userNameMin: min, userNameMax: max, passwordMin } = accountLimits
  const name = form.userName.trim()
  return {
    email: isEmail(form.email.trim()) ? undefined : t('account.emailInvalid'),
    userName: name.length < min || name.length > max ? t('account.nameRule', { min, max }) : undefined,
    password: form.password.length < passwordMin ? t('account.passwordRule', { min: passwordMin }) : undefined,
    again: form.password === form.again ? undefined : t('account.differs'),
  }
}

interface Props {
  readonly form: AccountForm
  readonly wrong: WrongAccount
  readonly readOnly: boolean
  readonly onChange: (part: Partial<AccountForm>) => void
}

export function EmailField({ form, wrong, readOnly, onChange }: Props) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t('account.email')}
      type="email"
      autoComplete="email"
      value={form.email}
      readOnly={readOnly}
      error={wrong.email}
      onChange={(event) => onChange({ email: event.currentTarget.value })}
    />
  )
}

export function UserNameField({ label, form, wrong, readOnly, onChange }: Props & { readonly label: string }) {
  return (
    <TextInput
      label={label}
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={accountLimits.userNameMax}
      value={form.userName}
      readOnly={readOnly}
      error={wrong.userName}
      onChange={(event) => onChange({ userName: event.currentTarget.value })}
    />
  )
}

export function PasswordFields({ form, wrong, readOnly, onChange }: Props) {
  const { t } = useTranslation()
  return (
    <>
      <NewPassword
        label={t('account.password')}
        value={form.password}
        error={wrong.password}
        readOnly={readOnly}
        onChange={(password) => onChange({ password })}
      />
      <RetypedPassword
        original={form.password}
        value={form.again}
        error={wrong.again}
        readOnly={readOnly}
        onChange={(again) => onChange({ again })}
      />
    </>
  )
}
