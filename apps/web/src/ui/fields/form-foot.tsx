import { Button } from '@mantine/core'
import type { CSSProperties, ReactNode } from 'react'
import { ActionButton } from '../base/action-button.tsx'
import type { Action } from '../base/use-action.ts'
import { useTranslation } from '../text/texts.tsx'

interface Props {
  readonly action: Pick<Action<never>, 'busy' | 'wait'>
  readonly onCancel: () => void
  readonly disabled?: boolean
  readonly style?: CSSProperties
  readonly children: ReactNode
}

export function FormFoot({ action, onCancel, disabled, style, children }: Props) {
  const { t } = useTranslation()
  return (
    <div style={{ display: 'flex', justifyContent: 'flex-end', gap: 8, ...style }}>
      <Button variant="default" onClick={onCancel}>
        {t('ui.cancel')}
      </Button>
      <ActionButton action={action} type="submit" disabled={disabled}>
        {children}
      </ActionButton>
    </div>
  )
}
