/** Ctrl+K leads to anything (PAL-1). Its list is a separate chunk with its texts, loaded when it is first opened. */

import { lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { withRetry } from '../ui/chunk-recovery.ts'
import { Dialog } from '../ui/dialog.tsx'
import { useKeys } from '../ui/keys.ts'
import { Waiting } from '../ui/states.tsx'
import { useTranslation } from '../ui/texts.tsx'

const PaletteList = lazy(withRetry(() => import('./palette-list.tsx')))

const watchers = new Set<() => void>()
let asked = 0

/** Opens the palette, for buttons. */
export function openPalette(): void {
  asked++
  for (const watcher of watchers) watcher()
}
const subscribe = (watcher: () => void) => {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export function Palette() {
  const { t } = useTranslation()
  const times = useSyncExternalStore(subscribe, () => asked)
  const [closedAt, setClosedAt] = useState(times)
  const opened = times !== closedAt
  useKeys([{ key: 'mod+k', name: t('keys.palette'), act: openPalette }], true)
  const close = () => setClosedAt(times)
  return (
    <Dialog opened={opened} onClose={close} title={t('palette.title')} size={560} tall>
      <Suspense fallback={<Waiting />}>{opened && <PaletteList onClose={close} />}</Suspense>
    </Dialog>
  )
}
