/** Where messages stand: lower right, moved up to where they cover no control; on phones above the bottom bar (TOAST-1). */
import { Notifications, useNotifications } from '@mantine/notifications'
import '@mantine/notifications/styles.layer.css'
import { useEffect, useRef } from 'react'
import { useTranslation } from './texts.tsx'
import c from './toasts.module.css'

const controls = 'a[href], button, input, select, textarea, [role="button"], [role="tab"], [role="option"]'
const margin = 16
const gap = 8

interface Box {
  readonly top: number
  readonly bottom: number
}

/** The lowest top edge for a box of `height` in a window of `window` pixels that meets none of `taken`; undefined when there is no such place. */
export function freePlace(height: number, window: number, taken: readonly Box[]): number | undefined {
  let top = window - margin - height
  for (const one of [...taken].sort((a, b) => b.bottom - a.bottom)) {
    if (one.top < top + height + gap && one.bottom + gap > top) top = one.top - gap - height
  }
  return top >= gap ? top : undefined
}

/** The controls that can be used now and share the column of the messages. */
function taken(messages: HTMLElement): Box[] {
  const { left, right } = messages.getBoundingClientRect()
  const dialogs = document.querySelectorAll('[role="dialog"][aria-modal="true"]')
  const within = dialogs[dialogs.length - 1] ?? document
  return [...within.querySelectorAll(controls)]
    .filter((element) => !messages.contains(element))
    .map((element) => element.getBoundingClientRect())
    .filter((box) => box.width > 0 && box.height > 0 && box.left < right + gap && box.right > left - gap)
    .filter((box) => box.bottom > 0 && box.top < innerHeight)
}

/** Where every place is taken, the bar at the foot stays free. */
const foot = () => document.querySelector('[data-bottom-bar]')?.getBoundingClientRect().height ?? 0

export default function ToastList() {
  const { t } = useTranslation()
  const { notifications } = useNotifications()
  const place = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever messages came or went
  useEffect(() => {
    const messages = place.current?.querySelector<HTMLElement>('[data-position="bottom-right"]')
    if (!messages) return
    const put = () => {
      const height = messages.offsetHeight
      if (height === 0) return
      const top = freePlace(height, innerHeight, taken(messages))
      const bottom = top === undefined ? foot() + margin : innerHeight - top - height
      document.documentElement.style.setProperty('--toast-bottom', `${bottom}px`)
    }
    put()
    const watcher = new ResizeObserver(put)
    watcher.observe(messages)
    window.addEventListener('resize', put)
    return () => {
      watcher.disconnect()
      window.removeEventListener('resize', put)
    }
  }, [notifications])
  return (
    <aside ref={place} aria-label={t('ui.messages')}>
      <Notifications position="bottom-right" limit={5} withinPortal={false} containerWidth={380} classNames={{ root: c.root }} />
    </aside>
  )
}
