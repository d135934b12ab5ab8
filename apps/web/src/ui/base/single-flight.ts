import { loadWithStyles } from './chunk-recovery.ts'

/**
 * Shares one call of `load` among concurrent callers; a failed call is made again, with its failed styles. In WebKit a
 * second concurrent `import()` gives the module before it has run, with undefined exports.
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
