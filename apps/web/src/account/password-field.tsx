import type { PasswordInputProps } from '@mantine/core'
import { IconCheck, IconMinus } from '@tabler/icons-react'
import { passwordHints } from '@vexil/core/accounts'
import { useTranslation } from '../ui/text/texts.tsx'
import { Password } from './password.tsx'
import c from './password-field.module.css'

const order = ['length', 'lower', 'digit', 'upper', 'symbol'] as const

interface Props extends Omit<PasswordInputProps, 'value' | 'onChange'> {
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A new password with its strength. Only the length is required; the other hints advise. */
export function NewPassword({ value, onChange, ...rest }: Props) {
  const { t } = useTranslation()
  const hints = passwordHints(value)
  const met = order.filter((hint) => hints[hint]).length
  const bars = hints.length ? met - 1 : Math.min(1, met)
  const strength = (
    <>
      <div className={c.meter} aria-hidden>
        {[1, 2, 3, 4].map((bar) => (
          <i key={bar} data-met={(value !== '' && bars >= bar) || undefined} />
        ))}
      </div>
      <ul className={c.ticks}>
        {order.map((hint) => (
          <li key={hint} data-met={hints[hint] || undefined}>
            {hints[hint] ? <IconCheck size={14} stroke={2} /> : <IconMinus size={14} stroke={2} />}
            {t(`account.hint.${hint}`)}
            {hints[hint] && <span className="unseen">{t('account.hintMet')}</span>}
          </li>
        ))}
      </ul>
    </>
  )
  return (
    <Password
      label={t('account.newPassword')}
      autoComplete="new-password"
      // Mantine describes the field only by its own description.
      description={strength}
      descriptionProps={{ component: 'div' }}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      {...rest}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

export function RetypedPassword({ value, onChange, original, error, ...rest }: Props & { readonly original: string }) {
  const { t } = useTranslation()
  const differs = value !== '' && value !== original
  return (
    <Password
      label={t('account.retype')}
      autoComplete="new-password"
      {...rest}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={differs ? t('account.differs') : error}
    />
  )
}
