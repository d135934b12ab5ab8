import { setTimeout as sleep } from 'node:timers/promises'

const sliceMs = 10

/** Rests as long as it has worked, in slices of about 10 ms, so that a backup leaves half of its time to requests. */
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
