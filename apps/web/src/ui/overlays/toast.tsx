/** One toast per action, replaced in place by its result. Only errors are announced at once. */
import { Loader } from '@mantine/core'
import { notifications, notificationsStore } from '@mantine/notifications'
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { t } from '../text/texts.tsx'

export interface Toast {
  /** Toasts with the same id replace each other. */
  readonly id?: string
  /** `good` done · `wary` warning · `bad` failed · `work` running, does not close. */
  readonly kind: 'good' | 'wary' | 'bad' | 'work' | 'plain'
  readonly title: string
  readonly text?: ReactNode
  readonly icon?: ReactNode
  /** Milliseconds until it closes; false: stays. */
  readonly closes?: number | false
}

const colours = {
  good: 'var(--ok)',
  wary: 'var(--warn)',
  bad: 'var(--bad)',
  work: 'var(--accent-text)',
  plain: 'var(--accent-text)',
}
const icons = {
  good: <IconCheck size={20} stroke={1.8} />,
  wary: <IconAlertTriangle size={20} stroke={1.8} />,
  bad: <IconX size={20} stroke={1.8} />,
  work: <Loader type="oval" size={18} color="var(--accent-text)" />,
  plain: undefined,
}
const stays = { good: 4000, plain: 5000, wary: 6000, bad: 8000, work: false } as const

export function toast({ id, kind, title, text, icon, closes }: Toast): void {
  const shown = {
    id,
    title,
    message: text ?? '',
    color: colours[kind],
    icon: icon ?? icons[kind],
    loading: false,
    autoClose: closes ?? stays[kind],
    withCloseButton: kind !== 'work',
    closeButtonProps: { 'aria-label': t('ui.close') },
    role: kind === 'bad' ? 'alert' : 'status',
    'aria-live': kind === 'bad' ? ('assertive' as const) : ('polite' as const),
  }
  const { notifications: now, queue } = notificationsStore.getState()
  const replaced = id && [...now, ...queue].find((one) => one.id === id)
  if (!replaced) notifications.show(shown)
  else notifications.update({ ...shown, id, autoClose: restarted(shown.autoClose, replaced.autoClose) })
}

/** Mantine restarts the time of a replaced toast only if its duration differs. */
const restarted = (closes: number | false, before: unknown) => (closes !== false && closes === before ? closes + 1 : closes)

export function closeToast(id: string): void {
  notifications.hide(id)
}
