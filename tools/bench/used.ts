/** CPU time and memory of processes and of the machine, from /proc (Linux only). */
import { readdirSync, readFileSync } from 'node:fs'

/** CPU seconds that these processes have used. Linux only. */
export function cpuOf(pids: readonly number[]): number {
  let ticks = 0
  for (const pid of pids) {
    const fields = readStat(pid)
    if (fields) ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / 100
}
function readStat(pid: number | string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')
  } catch {
    return undefined
  }
}
/** Pids of a process and of its descendants. */
export function familyOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(readStat(name)?.[1])] as const)
  const family = [pid]
  for (const member of family) family.push(...parents.filter(([, parent]) => parent === member).map(([child]) => child))
  return family
}
/** CPU seconds of the whole machine. */
export function cpuOfAll(): number {
  const [, user, nice, system, , , irq, soft] = (readFileSync('/proc/stat', 'latin1').split('\n')[0] as string)
    .split(/ +/)
    .map(Number)
  return (Number(user) + Number(nice) + Number(system) + Number(irq) + Number(soft)) / 100
}

/** Resident memory of a process, MB. */
export const memoryOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
