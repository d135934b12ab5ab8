interface EveryOptions {
  /** Reports the first of several failures in a row only. */
  readonly firstOnly?: boolean
}

/** Repeats work, and skips a turn while it still runs. Does not keep the process alive. `close` waits for the running work. */
export function every(
  ms: number,
  work: () => unknown,
  onError: (error: unknown) => void,
  { firstOnly = false }: EveryOptions = {},
): { close(): Promise<void> } {
  let running: Promise<unknown> | null = null
  let failed = false
  const succeed = () => {
    failed = false
  }
  const fail = (error: unknown) => {
    if (!(failed && firstOnly)) onError(error)
    failed = true
  }
  const turn = () => {
    if (running) return
    try {
      const result = work()
      if (!(result instanceof Promise)) return succeed()
      running = result.then(succeed, fail).finally(() => {
        running = null
      })
    } catch (error) {
      fail(error)
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
