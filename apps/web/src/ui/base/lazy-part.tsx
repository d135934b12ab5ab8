/** Parts that most visits never show: their code loads when one is wanted first. */
import { type ComponentType, useEffect, useEffectEvent, useState } from 'react'
import { toast } from '../overlays/toast.tsx'
import { t } from '../text/texts.tsx'
import { singleFlight } from './single-flight.ts'

interface Wanted {
  /** Loads it. What was loaded stays. */
  readonly wanted: boolean
  /** The code could not be loaded, and a toast says so; the next use tries again. */
  readonly onLost?: () => void
}

/** Says that code did not come. The page is not loaded anew for it, since the network may be away. */
export const reportLostCode = () => toast({ id: 'chunk-recovery', kind: 'bad', title: t('ui.unreachable') })

/** Of components whose code loads later: all of it, for tests. */
export const lazyParts = new Set<() => Promise<unknown>>()

/** `const UserDialog = lazyPart(() => import('./user-dialog.tsx'))`, drawn as `<UserDialog wanted={opened} … />`. */
export function lazyPart<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let code: ComponentType<Props> | undefined
  const fetchCode = singleFlight(async () => {
    code = (await load()).default
  })
  lazyParts.add(fetchCode)
  return function LazyPart({ wanted, onLost, ...props }: Props & Wanted) {
    const [, setLoaded] = useState(false)
    const lost = useEffectEvent(() => {
      reportLostCode()
      onLost?.()
    })
    useEffect(() => {
      if (wanted && !code) fetchCode().then(() => setLoaded(true), lost)
    }, [wanted])
    const Part = code
    return Part && <Part {...(props as unknown as Props)} />
  }
}
