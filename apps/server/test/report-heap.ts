/**
 * Loaded by a platform before its own code (`--import`): on SIGUSR2 each of its threads collects garbage and appends the bytes that it still uses, as
 * `thread bytes`, to the file HEAP_REPORT. Resident memory is no good measure: the allocator keeps freed memory.
 */
import { appendFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread, threadId } from 'node:worker_threads'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const channel = new BroadcastChannel('heap')
channel.onmessage = () => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  appendFileSync(process.env.HEAP_REPORT as string, `${threadId} ${heapUsed + external}\n`)
}
// Node's channels keep a thread alive unless they are unreferenced.
;(channel as unknown as { unref(): void }).unref()
if (isMainThread)
  process.on('SIGUSR2', () => {
    const asking = new BroadcastChannel('heap')
    asking.postMessage(null)
    setTimeout(() => asking.close(), 1000)
  })
