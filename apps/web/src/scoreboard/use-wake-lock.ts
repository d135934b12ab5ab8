import { useEffect } from 'react'

/** Keeps the display on while the page is visible. Browsers release the lock with each change of the tab. */
export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | undefined
    let closed = false
    const take = async () => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return
      const taken = await navigator.wakeLock.request('screen').catch(() => undefined)
      if (closed) void taken?.release()
      else lock = taken
    }
    void take()
    document.addEventListener('visibilitychange', take)
    return () => {
      closed = true
      document.removeEventListener('visibilitychange', take)
      void lock?.release()
    }
  }, [])
}
