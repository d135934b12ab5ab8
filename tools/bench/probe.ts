/** Sends a cheap call a hundred times a second from a separate process, so that a busy load generator is not mistaken for a busy platform. */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { load, request } from './load.ts'

/** `port`: the port of the platform. */
interface Asked {
  readonly port: number
  readonly seconds: number
}

/** The 99th percentile and the maximum of the latencies of `/healthz` (ms). */
export interface Probed {
  readonly p99: number
  readonly worst: number
}

/** Starts at once and ends after `seconds`. */
export async function probe(asked: Asked): Promise<Probed> {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(asked)])
  const [probed] = (await once(child, 'message')) as [Probed]
  return probed
}

if (process.send && process.argv[1] === fileURLToPath(import.meta.url)) {
  const { port, seconds } = JSON.parse(process.argv[2] as string) as Asked
  const next = () => request('GET', '/healthz', {})
  const { p99, worst } = await load({ port, connections: 8, seconds, rate: 100, next })
  process.send({ p99, worst } satisfies Probed)
  process.disconnect()
}
