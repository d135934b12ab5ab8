/** Milliseconds by the monotonic clock. Unlike `performance.now()` it is the same in all threads. */
export const clock = (): number => Number(process.hrtime.bigint()) / 1e6
