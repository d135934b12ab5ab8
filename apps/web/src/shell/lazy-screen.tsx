import { type ComponentType, lazy, useState } from 'react'
import { once } from '../ui/once.ts'
import { isLostChunk, reloadOnce } from './lost-chunk.ts'

/** A screen whose code loads when it is opened. Code that is gone after a deployment reloads the page once (ERR-3). */
export function lazyScreen(load: () => Promise<{ default: ComponentType }>) {
  let code: ComponentType | undefined
  const loadCode = once(async () => {
    const loaded = await load()
    code = loaded.default
    return loaded
  })
  const Later = lazy(() =>
    loadCode().catch((error: unknown) => {
      // Never settles when the page is about to be loaded anew.
      if (isLostChunk(error) && reloadOnce()) return new Promise<never>(() => {})
      throw error
    }),
  )
  function LazyScreen() {
    const [Screen] = useState(() => code ?? Later)
    return <Screen />
  }
  return Object.assign(LazyScreen, {
    /** Code that is there before the screen is drawn is drawn at once; otherwise React shows what stands in its place for 0.3 s at least. */
    loadCode,
  })
}
