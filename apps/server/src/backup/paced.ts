import { setTimeout as sleep } from 'node:timers/promises'

const sliceMs = 1

/**
 * Rests as long as it has worked, in slices of a millisecond or one chunk, so that a backup leaves half of its time to requests,
 * and a request waits for one slice. With slices of 10 ms requests waited longer, and the backup took longer.
 */
export async function* paced(
  source: AsyncIterable<Buffer>,
  rest: (ms: number) => Promise<unknown> = sleep,
): AsyncGenerator<Buffer> {
  let since = performance.now()
  for await (const chunk of source) {
    yield chunk
    const worked = performance.now() - since
    if (worked < sliceMs) continue
    await rest(worked)
    since = performance.now()
  }
}
