import { Button, type ButtonProps, Loader } from '@mantine/core'
import { IconCloudOff } from '@tabler/icons-react'
import { type MouseEvent, type ReactNode, useId } from 'react'
import { useOnline } from '../../api/connection.ts'
import { useTranslation } from '../text/texts.tsx'
import type { Action } from './use-action.ts'

const offlineIcon = <IconCloudOff size={18} stroke={1.6} />

interface Props extends ButtonProps {
  /** Disables the button while it runs; counts down after "too many requests". */
  readonly action: Pick<Action<never>, 'busy' | 'wait'>
  readonly type?: 'button' | 'submit'
  readonly onClick?: (event: MouseEvent) => void
  readonly children: ReactNode
}

/** Button of an action. While the action runs it is inactive but keeps the focus; while the platform is unreachable it still works. */
export function ActionButton({ action, children, disabled, type = 'button', leftSection, onClick, ...rest }: Props) {
  const { t } = useTranslation()
  const online = useOnline()
  const about = useId()
  const held = action.busy || action.wait > 0
  return (
    <>
      <Button
        {...rest}
        type={type}
        disabled={disabled}
        aria-busy={action.busy || undefined}
        data-disabled={disabled || action.wait > 0 || undefined}
        aria-disabled={held || undefined}
        aria-describedby={online ? undefined : about}
        title={online ? undefined : t('ui.needsNetwork')}
        leftSection={action.busy ? <Loader type="oval" size={16} color="currentColor" /> : online ? leftSection : offlineIcon}
        onClick={held ? (event) => event.preventDefault() : onClick}
      >
        {action.wait > 0 ? t('ui.againIn', { seconds: action.wait }) : children}
      </Button>
      {!online && (
        <span id={about} className="unseen">
          {t('ui.needsNetwork')}
        </span>
      )}
    </>
  )
}
