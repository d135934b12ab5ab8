/** Parts that most visits never show: their code loads on first use. */
import { type ComponentType, useEffect, useEffectEvent, useState } from 'react'
import { toast } from '../overlays/toast.tsx'
import { t } from '../text/texts.tsx'
import { loadWithoutReload } from './chunk-recovery.ts'
import { singleFlight } from './single-flight.ts'

interface Wanted {
  /** Loads the code; loaded code is kept. */
  readonly wanted: boolean
}

interface Closable {
  readonly onClose?: () => void
}

/** Does not reload the page, since the network may be away. */
export const reportLostCode = () => toast({ id: 'chunk-recovery', kind: 'bad', title: t('ui.unreachable') })

/** Loaders of all lazy parts, for tests. */
export const lazyParts = new Set<() => Promise<unknown>>()

/**
 * `const UserDialog = lazyPart(() => import('./user-dialog.tsx'))`, drawn as `<UserDialog wanted={opened} … />`. When the code fails
 * to load, a toast is shown and `onClose` of the part is called, so that the next use tries again. A part without `onClose` is loaded
 * as soon as the platform is reachable.
 */
export function lazyPart<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let code: ComponentType<Props> | undefined
  const fetchCode = singleFlight(async () => {
    code = (await load()).default
  })
  lazyParts.add(fetchCode)
  return function LazyPart({ wanted, ...props }: Props & Wanted) {
    const [, setLoaded] = useState(false)
    const lost = useEffectEvent(() => {
      reportLostCode()
      ;(props as Closable).onClose?.()
    })
    const fetchPart = useEffectEvent(() => ((props as Closable).onClose ? fetchCode() : loadWithoutReload(fetchCode)))
    useEffect(() => {
      if (wanted && !code) fetchPart().then(() => setLoaded(true), lost)
    }, [wanted])
    const Part = code
    return Part && <Part {...(props as unknown as Props)} />
  }
}
