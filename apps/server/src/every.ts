/** Repeats work, and skips a turn while it still runs. Does not keep the process alive. `close` waits for the running work. */
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
