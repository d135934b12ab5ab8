/**
 * npm run tool -- long-paths: one address sends 200 requests whose paths contain 15,000 dots while `/healthz` is requested from a separate thread.
 * Each must be refused with 414, and no answer of `/healthz` may take longer than 100 ms. Prints figures; exit code 1 if one of these fails.
 */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { startPlatform } from '../../../e2e/platform.ts'

const allowedMs = 100
const requests = 200

if (isMainThread) await attack()
else await ask(workerData as string)

async function attack(): Promise<void> {
  const platform = await startPlatform({ env: {} })
  try {
    const asking = new Worker(new URL(import.meta.url), { workerData: platform.url })
    const waits: number[] = []
    asking.on('message', (wait: number) => waits.push(wait))
    await sleep(500)
    const statuses = new Map<number, number>()
    const startedAt = performance.now()
    for (let i = 0; i < requests; i++) {
      const status = await get(platform.url, `/${'.'.repeat(15_000)}`)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    const took = performance.now() - startedAt
    await asking.terminate()
    const slowest = Math.max(...waits)
    console.log(
      `${requests} long paths in ${took.toFixed(0)} ms: ${[...statuses].map(([status, n]) => `${n} x ${status}`).join(', ')}`,
    )
    console.log(`${waits.length} answers of /healthz meanwhile, slowest ${slowest.toFixed(1)} ms`)
    if (statuses.get(414) !== requests || slowest > allowedMs) process.exitCode = 1
  } finally {
    await platform.stop()
  }
}

/** @returns the status */
function get(url: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path }, (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)))
    sent.on('error', reject)
    sent.end()
  })
}

async function ask(url: string): Promise<void> {
  for (;;) {
    const startedAt = performance.now()
    await get(url, '/healthz')
    parentPort?.postMessage(performance.now() - startedAt)
    await sleep(5)
  }
}
