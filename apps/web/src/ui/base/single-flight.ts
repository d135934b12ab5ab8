import { loadWithStyles } from './chunk-recovery.ts'

/**
 * Code that several may want in the same moment is asked for once, and again after a failure, with the styles that did not come then. A second
 * `import()` beside the first gives WebKit the module before it has run: its parts are undefined.
 */
export function singleFlight<T>(load: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  const forget = (error: unknown) => {
    asked = undefined
    throw error
  }
  return () => {
    asked ??= loadWithStyles(load).catch(forget)
    return asked
  }
}
