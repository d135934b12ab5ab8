/** Reports this node to the others: in its first process, every 5 seconds from the moment it listens. */
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import { readVersion } from '../read-version.ts'
import { type NodeState, removeNode, reportNode } from './nodes.queries.ts'

const everyMs = 5_000

export interface NodeReports {
  begin(): Promise<void>
  /** Load balancers send no more requests; open connections remain. */
  drain(): Promise<void>
  close(): Promise<void>
}

export function openNodeReports({ db, node, config, onError }: Pick<Deps, 'db' | 'node' | 'config' | 'onError'>): NodeReports {
  const own = { id: node, version: readVersion(), url: config.nodeUrl, processes: config.processes }
  let state: NodeState = 'Serving'
  let timer: { close(): Promise<void> } | null = null
  const report = () => reportNode(db, { ...own, state })
  return {
    async begin() {
      // What a killed process has left has an earlier start.
      await removeNode(db, node)
      await report()
      timer = every(everyMs, report, onError)
    },
    async drain() {
      state = 'Draining'
      if (timer) await report().catch(onError)
    },
    async close() {
      await timer?.close()
      if (timer) await removeNode(db, node).catch(onError)
    },
  }
}
