/**
 * Repeats work of the platform. A turn that comes while the work is still running is left out; its error goes to `onError`. The timer does not keep
 * the process running. `close` ends the turns and waits for the work that is running.
 */
export function every(ms: number, work: () => unknown, onError: (error: unknown) => void): { close(): Promise<void> } {
  let running: Promise<unknown> | null = null
  const turn = () => {
    if (running) return
    try {
      const result = work()
      if (!(result instanceof Promise)) return
      running = result.catch(onError).finally(() => {
        running = null
      })
    } catch (error) {
      onError(error)
    }
  }
  const timer = setInterval(turn, ms)
  timer.unref()
  return {
    async close() {
      clearInterval(timer)
      await running
    },
  }
}
