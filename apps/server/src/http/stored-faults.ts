import type { LogEntry } from '../audit.ts'

const minuteMs = 60_000
/** Most entries per minute: a broken call that is repeated must not fill the database. Further faults are only printed. */
export const faultsStored = 60

/**
 * Writes unexpected errors of calls to the administrators' log, without their messages, which may contain values of the request. `now`: a monotonic
 * clock in milliseconds.
 */
export function storeFaults(
  write: (entry: LogEntry) => void,
  now: () => number = () => performance.now(),
): (fault: { readonly error: unknown; readonly route: string; readonly ip: string }) => void {
  let since = now()
  let stored = 0
  return ({ error, route, ip }) => {
    if (now() - since >= minuteMs) {
      since = now()
      stored = 0
    }
    if (++stored > faultsStored) return
    const { name, code } = error as { name?: unknown; code?: unknown }
    const kind = [name, code].filter((part) => typeof part === 'string').join(' ') || 'Error'
    const message = `${route} failed: ${kind}. The printed log has the details.`
    write({ level: 'Error', status: 'Failed', name: 'System', ip, message, route })
  }
}
