import { loadWithStyles } from './chunk-recovery.ts'

/** Shares one call of `load`; a failed one is repeated. WebKit resolves a second concurrent `import()` before the module has run. */
export function singleFlight<T>(load: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  const forget = (error: unknown) => {
    pending = undefined
    throw error
  }
  return () => {
    pending ??= loadWithStyles(load).catch(forget)
    return pending
  }
}
