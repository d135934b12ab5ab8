/** Processes that are killed, or paused with SIGSTOP. */
import type { Scene } from '../scene.ts'
import { type Fault, nothing } from './fault.ts'

const first = ({ nodes }: Scene) => [nodes[0]?.first() ?? 0]
const whose = {
  first,
  worker: ({ nodes }: Scene) => nodes[0]?.workers().slice(0, 1) ?? [],
  database: (scene: Scene) => scene.postgres(),
  both: (scene: Scene) => [...first(scene), ...scene.postgres()],
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      if (pid > 0) process.kill(pid, name)
    } catch {
      // The process has ended.
    }
  }
}

const killed = (who: keyof typeof whose): Fault => ({
  name: `kill-${who}`,
  how: `SIGKILL (${who}; of PostgreSQL its postmaster); the supervisors start it again`,
  seconds: 0,
  async plant(scene) {
    const postgres = new Set(scene.postgres().slice(1))
    signal(
      whose[who](scene).filter((pid) => !postgres.has(pid)),
      'SIGKILL',
    )
    return nothing
  },
})

const stopped = (who: keyof typeof whose): Fault => ({
  name: `stop-${who}`,
  how: `SIGSTOP (${who}; of PostgreSQL all processes), SIGCONT after 5 s`,
  seconds: 5,
  async plant(scene) {
    const pids = whose[who](scene)
    signal(pids, 'SIGSTOP')
    return async () => signal(pids, 'SIGCONT')
  },
})

const all = ['first', 'worker', 'database', 'both'] as const
export const processFaults: readonly Fault[] = [...all.map(killed), ...all.map(stopped)]
