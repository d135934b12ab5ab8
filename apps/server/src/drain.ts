/** A node that stops hands its work over to the others: listeners of the hubs one after another, connections to instances when they end. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from './config.ts'
import type { NodeReports } from './health/node-reports.ts'
import type { Live } from './http/live.ts'
import { stopListening } from './http/stop-listening.ts'
import type { TlsEntry } from './instances/tls.routes.ts'
import type { Tunnels } from './instances/tunnels.ts'

/** Milliseconds for the first request of connections accepted last; later requests are refused. */
const lastRequestWithin = 500

interface Draining {
  readonly live: Pick<Live, 'drain'>
  readonly tunnels: Pick<Tunnels, 'drain'>
  readonly tlsEntry: Pick<TlsEntry, 'stopListening'> | null
  readonly nodeReports: Pick<NodeReports, 'drain' | 'isAnotherServing'>
  readonly server: Parameters<typeof stopListening>[0]
  readonly config: Pick<Config, 'drainSeconds' | 'drainHubSeconds' | 'drainProxySeconds'>
  /** Waits neither for listeners nor for connections to instances. */
  readonly isImmediate: boolean
}

/** Most milliseconds that `drain` takes, apart from the requests under way. */
export const drainsWithin = ({ drainSeconds, drainHubSeconds, drainProxySeconds }: Draining['config']): number =>
  (drainSeconds + Math.max(drainHubSeconds, drainProxySeconds)) * 1000

/** Readiness must have failed before. The later waits are skipped when no other node could take over. */
export async function drain({ server, live, tunnels, tlsEntry, nodeReports, config, isImmediate }: Draining): Promise<void> {
  if (!server.listening) return
  void nodeReports.drain()
  const mayWait = isImmediate ? false : nodeReports.isAnotherServing()
  await sleep(config.drainSeconds * 1000)
  // Without draining, the port is released at once.
  if (config.drainSeconds > 0) {
    await Promise.all([stopListening(server), tlsEntry?.stopListening()])
    await sleep(lastRequestWithin)
  } else server.close()
  const wait = (await mayWait) ? 1000 : 0
  await Promise.all([live.drain(config.drainHubSeconds * wait), tunnels.drain(config.drainProxySeconds * wait)])
}
