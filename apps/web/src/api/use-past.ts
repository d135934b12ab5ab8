import { useEffect, useState } from 'react'
import { serverNow } from './clock.ts'

/** Longest timer: timers stand still while a device sleeps. */
const longestMs = 60_000

/** Whether a moment is past by the server's clock. Re-renders only at the moment. An invalid moment is past. */
export function usePast(moment: string): boolean {
  const at = Date.parse(moment)
  const [, wake] = useState(0)
  const past = !(serverNow() <= at)
  useEffect(() => {
    if (past) return
    let timer: ReturnType<typeof setTimeout>
    const wait = () => {
      const left = at - serverNow()
      if (left < 0) return wake((count) => count + 1)
      timer = setTimeout(wait, Math.min(longestMs, left + 1))
    }
    wait()
    return () => clearTimeout(timer)
  }, [at, past])
  return past
}
