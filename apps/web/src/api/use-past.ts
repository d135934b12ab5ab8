import { useEffect, useState } from 'react'
import { serverNow } from './clock.ts'

/** Browsers count no longer than this in one go. */
const longest = 2 ** 31 - 1

/** Whether a moment is past, by the server's clock. Changes when it comes, without ticking until then. An invalid moment is past. */
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
      timer = setTimeout(wait, Math.min(longest, left + 1))
    }
    wait()
    return () => clearTimeout(timer)
  }, [at, past])
  return past
}
