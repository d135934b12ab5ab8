/** Reports this node to the others: in its first process, every 5 seconds from the moment it listens. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../deps.ts'
import { every } from '../every.ts'
import { readVersion } from '../read-version.ts'
import { isAnotherServing, type NodeState, removeNode, reportNode } from './nodes.queries.ts'

const everyMs = 5_000
/** A node that stops does not wait longer for the database. */
const answerWithin = 1_000

export interface NodeReports {
  begin(): Promise<void>
  /** Load balancers send no more requests; open connections remain. */
  drain(): Promise<void>
  /** Whether requests can go to another node; false when the database does not answer. */
  isAnotherServing(): Promise<boolean>
  close(): Promise<void>
}

export function openNodeReports({ db, node, config, onError }: Pick<Deps, 'db' | 'node' | 'config' | 'onError'>): NodeReports {
  const own = { id: node, version: readVersion(), url: config.nodeUrl, processes: config.processes }
  let state: NodeState = 'Serving'
  let timer: { close(): Promise<void> } | null = null
  const inTime = async <T>(work: Promise<T>): Promise<T | undefined> =>
    Promise.race([work.catch((error) => void onError(error)), sleep(answerWithin, undefined, { ref: false })])
  const report = () => reportNode(db, { ...own, state })
  return {
    async begin() {
      // A row that a killed process has left has an earlier start.
      await removeNode(db, node)
      await report()
      timer = every(everyMs, report, onError)
    },
    async drain() {
      state = 'Draining'
      if (timer) await inTime(report())
    },
    isAnotherServing: async () => (await inTime(isAnotherServing(db, node))) ?? false,
    async close() {
      if (timer) await inTime(timer.close().then(() => removeNode(db, node)))
    },
  }
}
