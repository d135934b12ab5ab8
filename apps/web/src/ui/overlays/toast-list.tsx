/** Position of toasts: lower right, moved up or left so that they cover no control; on phones above the bottom bar. */
import { Notifications, useNotifications } from '@mantine/notifications'
import '@mantine/notifications/styles.layer.css'
import { useEffect, useRef } from 'react'
import { useTranslation } from '../text/texts.tsx'
import c from './toasts.module.css'

const controls = 'a[href], button, input, select, textarea, [role="button"], [role="tab"], [role="option"]'
const margin = 16
const gap = 8

/** Interval of the check for controls under a toast: styles and scrolling move them, too. */
const checkMs = 500

type Box = Pick<DOMRect, 'top' | 'bottom' | 'left' | 'right'>
interface Size {
  readonly width: number
  readonly height: number
}

/** The lowest top edge for a box of `height` that overlaps none of `occupied`; undefined if there is no space. */
function freeTop(height: number, window: number, occupied: readonly Box[]): number | undefined {
  let top = window - margin - height
  for (const one of [...occupied].sort((a, b) => b.bottom - a.bottom)) {
    if (one.top < top + height + gap && one.bottom + gap > top) top = one.top - gap - height
  }
  return top >= gap ? top : undefined
}

/** Distance from the right and lower edge for a box that covers none of `occupied`, as far right, then as low as possible. */
export function freePlace(box: Size, window: Size, occupied: readonly Box[]): { right: number; bottom: number } | undefined {
  const places = [margin, ...occupied.map(({ left }) => window.width - left + gap)].sort((a, b) => a - b)
  for (const right of places) {
    const [from, to] = [window.width - right - box.width, window.width - right]
    if (right < margin || from < gap) continue
    const inTheWay = occupied.filter((one) => one.left < to + gap && one.right > from - gap)
    const top = freeTop(box.height, window.height, inTheWay)
    if (top !== undefined) return { right, bottom: window.height - top - box.height }
  }
}

function occupied(messages: HTMLElement): Box[] {
  const dialogs = document.querySelectorAll('[role="dialog"][aria-modal="true"]')
  const within = dialogs[dialogs.length - 1] ?? document
  return [...within.querySelectorAll(controls)]
    .filter((element) => !messages.contains(element))
    .map((element) => element.getBoundingClientRect())
    .filter((box) => box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight)
}

const meets = (one: Box, other: Box) =>
  one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top

/** When no place is free, only the bottom bar is kept uncovered. */
const foot = () => document.querySelector('[data-bottom-bar]')?.getBoundingClientRect().height ?? 0

export default function ToastList() {
  const { t } = useTranslation()
  const { notifications } = useNotifications()
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    const messages = place.current?.querySelector<HTMLElement>('[data-position="bottom-right"]')
    if (!messages) return
    const put = () => {
      const { offsetWidth: width, offsetHeight: height } = messages
      if (height === 0) return
      const place = freePlace({ width, height }, { width: innerWidth, height: innerHeight }, occupied(messages))
      const { right, bottom } = place ?? { right: margin, bottom: foot() + margin }
      document.documentElement.style.setProperty('--toast-right', `${right}px`)
      document.documentElement.style.setProperty('--toast-bottom', `${bottom}px`)
    }
    put()
    const watcher = new ResizeObserver(put)
    watcher.observe(messages)
    window.addEventListener('resize', put)
    // Moves only when a control is under it.
    const moveIfCovering = () => occupied(messages).some((box) => meets(box, messages.getBoundingClientRect())) && put()
    const timer = notifications.length > 0 ? setInterval(moveIfCovering, checkMs) : undefined
    // A new screen or dialog: before it is painted.
    const changes = new MutationObserver(moveIfCovering)
    if (notifications.length > 0) changes.observe(document.body, { childList: true, subtree: true })
    return () => {
      changes.disconnect()
      watcher.disconnect()
      window.removeEventListener('resize', put)
      clearInterval(timer)
    }
  }, [notifications])
  return (
    <aside ref={place} aria-label={t('ui.messages')}>
      <Notifications position="bottom-right" limit={5} withinPortal={false} containerWidth={380} classNames={{ root: c.root }} />
    </aside>
  )
}
