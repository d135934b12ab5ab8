import { type BadLine, readFlagLines, readRemoteLines } from '@vexil/core/flags'
import { flagLimits } from '@vexil/core/limits'

export interface Checked<Row> {
  readonly good: readonly Row[]
  readonly bad: readonly (Omit<BadLine, 'reason'> & { readonly reason: BadLine['reason'] | 'known' })[]
}

function rejectKnown<Row extends { readonly line: number; readonly flag: string }>(
  read: { good: Row[]; bad: BadLine[] },
  known: ReadonlySet<string>,
): Checked<Row> {
  const repeated = read.good.filter(({ flag }) => known.has(flag))
  return {
    good: read.good.filter(({ flag }) => !known.has(flag)),
    bad: [...read.bad, ...repeated.map(({ line, flag }) => ({ line, text: flag, reason: 'known' as const }))].sort(
      (a, b) => a.line - b.line,
    ),
  }
}

/** One flag per line. */
export const checkFlags = (text: string, known: ReadonlySet<string>) => rejectKnown(readFlagLines(text), known)

/** Flag and link per line. */
export const checkRemote = (text: string, known: ReadonlySet<string>) => rejectKnown(readRemoteLines(text), known)

export type FileProblem = 'known' | 'repeated' | 'too long' | 'empty'

/** A file's name is the flag. */
export function fileProblem(file: Pick<File, 'name' | 'size'>, before: ReadonlySet<string>, known: ReadonlySet<string>) {
  const flag = file.name.trim()
  if (file.size === 0) return 'empty' satisfies FileProblem
  if (flag.length > flagLimits.flagMax) return 'too long' satisfies FileProblem
  if (known.has(flag)) return 'known' satisfies FileProblem
  return before.has(flag) ? ('repeated' satisfies FileProblem) : undefined
}

/** Below this number a team may get no file. */
export const filesNeeded = (teams: number) => teams * flagLimits.filesPerTeam
