/** Names of scheduled backups, and which of them are kept. */

const newestKept = 48
const daysKept = 14
const dayMs = 24 * 3_600_000

const pattern = /^vexil-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.tar$/

/** `vexil-20261125T080000Z.tar` */
export const backupName = (time: Date): string => `vexil-${time.toISOString().replace(/\.\d+|[-:]/g, '')}.tar`

/** Null for the name of anything else. */
function timeOf(name: string): number | null {
  const [, year, month, day, hour, minute, second] = (pattern.exec(name) ?? []).map(Number) as number[]
  return year === undefined ? null : Date.UTC(year, (month ?? 0) - 1, day, hour, minute, second)
}

/** The folder of a backup that was begun more than a day ago. */
export function isAbandonedPart(name: string, now: Date): boolean {
  const [archive, part] = name.split('.part-')
  const time = part === undefined ? null : timeOf(archive ?? '')
  return time !== null && time < now.getTime() - dayMs
}

/** Of the backups among these names: the newest 48, and the newest of each day (UTC) of the last 14 days. The others are old. */
export function splitBackups(names: readonly string[], now: Date): { kept: string[]; old: string[] } {
  const backups = names
    .map((name) => ({ name, time: timeOf(name) }))
    .filter((one): one is { name: string; time: number } => one.time !== null)
    .sort((a, b) => b.time - a.time)
  const dayOf = (time: number) => Math.floor(time / dayMs)
  const today = dayOf(now.getTime())
  const isKept = ({ time }: { time: number }, at: number) =>
    at < newestKept || (dayOf(time) > today - daysKept && backups.findIndex((one) => dayOf(one.time) === dayOf(time)) === at)
  const named = (some: typeof backups) => some.map(({ name }) => name)
  return { kept: named(backups.filter(isKept)), old: named(backups.filter((one, at) => !isKept(one, at))) }
}
