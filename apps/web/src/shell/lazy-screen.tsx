import { type ComponentType, lazy, useState } from 'react'
import { loadWithRetry } from '../ui/base/chunk-recovery.ts'
import { singleFlight } from '../ui/base/single-flight.ts'

export function lazyScreen(load: () => Promise<{ default: ComponentType }>) {
  let code: ComponentType | undefined
  const loadCode = singleFlight(async () => {
    const loaded = await load()
    code = loaded.default
    return loaded
  })
  const Later = lazy(() => loadWithRetry(loadCode))
  function LazyScreen() {
    const [Screen] = useState(() => code ?? Later)
    return <Screen />
  }
  return Object.assign(LazyScreen, {
    /** Code that is loaded before the render shows at once; otherwise React shows the fallback for at least 0.3 s. */
    loadCode,
  })
}
