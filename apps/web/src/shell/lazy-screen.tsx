import { type ComponentType, lazy } from 'react'
import { isLostChunk, reloadOnce } from './lost-chunk.ts'

/** A screen whose code loads when it is opened. Code that is gone after a deployment reloads the page once (ERR-3). */
export function lazyScreen(load: () => Promise<{ default: ComponentType }>) {
  return lazy(() =>
    load().catch((error: unknown) => {
      // Never settles when the page is about to be loaded anew.
      if (isLostChunk(error) && reloadOnce()) return new Promise<never>(() => {})
      throw error
    }),
  )
}
