/** Opens with Ctrl+K. The list is a separate chunk with its texts, loaded on first use. */

import { useState, useSyncExternalStore } from 'react'
import { makeWatchers } from '../api/watchers.ts'
import { useKeys } from '../ui/base/keyboard.ts'
import { lazyPart } from '../ui/base/lazy-part.tsx'
import { useTranslation } from '../ui/text/texts.tsx'

const PaletteList = lazyPart(() => import('./palette-list.tsx'))

const { subscribe, notify } = makeWatchers()
let openings = 0

export function openPalette(): void {
  openings++
  notify()
}

export function Palette() {
  const { t } = useTranslation()
  const times = useSyncExternalStore(subscribe, () => openings)
  const [closedAt, setClosedAt] = useState(times)
  const opened = times !== closedAt
  useKeys([{ key: 'mod+k', name: t('keys.palette'), act: openPalette }], true)
  return <PaletteList wanted={opened} opened={opened} onClose={() => setClosedAt(times)} />
}
