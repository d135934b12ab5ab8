import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Action } from './use-action.ts'

interface Props extends ButtonProps {
  /** Held while the action runs; after "too many requests" it counts the seconds. */
  readonly action: Pick<Action<never>, 'busy' | 'wait'>
  readonly type?: 'button' | 'submit'
  readonly onClick?: () => void
  readonly children: ReactNode
}

/** Button of an action: disabled until the call settles, counting down when the server asked for patience (FB-2, FB-3). */
export function ActionButton({ action, children, disabled, type = 'button', ...rest }: Props) {
  const { t } = useTranslation()
  return (
    <Button {...rest} type={type} loading={action.busy} disabled={disabled || action.wait > 0}>
      {action.wait > 0 ? t('ui.againIn', { seconds: action.wait }) : children}
    </Button>
  )
}
