import { containerLife } from '@vexil/core/limits'
import { useServerNow } from '../api/clock.ts'
import { useSite } from '../shell/site.ts'

/** `soon`: the instance can be extended. Updated every second, by the server's clock. */
export function useTimeLeft(closeTime: string): { readonly soon: boolean; readonly over: boolean } {
  const { renewalWindow = containerLife.renewalWindow } = useSite()
  const left = new Date(closeTime).getTime() - useServerNow()
  return { soon: left <= renewalWindow * 60_000, over: left <= 0 }
}
