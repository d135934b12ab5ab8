/** The server's time, derived from the Date header of its responses. Every countdown and phase uses it. */
import { useEffect, useState, useSyncExternalStore } from 'react'
import { makeWatchers } from './watchers.ts'

/** Bounds of server time minus device time, in milliseconds. */
interface Bounds {
  readonly low: number
  readonly high: number
}

/** Narrows the bounds by one response; the header has whole seconds, so each response adds precision. */
export function narrow(known: Bounds | undefined, header: number, sent: number, received: number): Bounds {
  const measured = { low: header - received, high: header + 1000 - sent }
  if (!known) return measured
  const both = { low: Math.max(known.low, measured.low), high: Math.min(known.high, measured.high) }
  // No overlap: one of the clocks was set. The newest response is right.
  return both.low <= both.high ? both : measured
}

let bounds: Bounds | undefined

/** Called by the client for each response from the network. */
export function recordServerTime(header: string | null, sent: number, received: number): void {
  const serverTime = header === null ? Number.NaN : Date.parse(header)
  if (Number.isNaN(serverTime)) return
  bounds = narrow(bounds, serverTime, sent, received)
  const next = provenDeviation(bounds)
  if (Math.abs(next - deviation) < 1000 && (next === 0) === (deviation === 0)) return
  deviation = next
  notify()
}

const toleratedMs = 5000

/** How far the device's clock is ahead of the server's, ms; 0 unless the deviation certainly exceeds the tolerance. */
export function provenDeviation({ low, high }: Bounds): number {
  return low > toleratedMs || high < -toleratedMs ? -(low + high) / 2 : 0
}

let deviation = 0
const { subscribe, notify } = makeWatchers()

export const useClockDeviation = (): number => useSyncExternalStore(subscribe, () => deviation)

/** Server time in milliseconds. */
export function serverNow(): number {
  return Date.now() + (bounds ? (bounds.low + bounds.high) / 2 : 0)
}

/** Server time in milliseconds, at most a second late and never early: what opens by it is not refused by the server. */
export function earliestServerNow(): number {
  return Date.now() + (bounds?.low ?? 0)
}

/** Server time, updated once per `interval`; 0 never updates. Ticks are on whole seconds of the server. */
export function useServerNow(interval = 1000): number {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    if (interval <= 0) return
    let timer: ReturnType<typeof setTimeout>
    const tick = () => {
      const at = serverNow()
      setNow(at)
      timer = setTimeout(tick, interval - (at % interval) + 5)
    }
    tick()
    return () => clearTimeout(timer)
  }, [interval])
  return now
}
