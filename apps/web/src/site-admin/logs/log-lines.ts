/** Entries of the log: their keys, the filter, and their form in a file. */
import type { LogMessage } from '@vexil/contract/live'
import { type LogLevelFilter, logLevelFilters } from '@vexil/core/vocabulary'

export const logKey = ({ time, level, status, name, ip, msg }: LogMessage) => [time, level, status, name, ip, msg].join('\n')

/** The filters on offer; `All` shows the fatal ones too. */
export const shownLevels = ['Information', 'Warning', 'Error', 'All'] as const

export const levelOf = (text: string | null): LogLevelFilter => logLevelFilters.find((level) => level === text) ?? 'Information'

/** A live entry is kept as the server's list would keep it. */
export function keepsLog({ level, name, ip, msg }: LogMessage, wanted: LogLevelFilter, hint: string): boolean {
  if (wanted !== 'All' && level !== wanted) return false
  return [msg, name, ip].some((text) => (text ?? '').toLowerCase().includes(hint.toLowerCase()))
}

/** One line for each entry, oldest first, as files of logs are. */
export const logText = (entries: readonly LogMessage[]): string =>
  [...entries]
    .reverse()
    .map(({ time, level, status, ip, name, msg }) => [time, level, status || '-', ip || '-', name, msg].join('\t'))
    .map((line) => `${line}\n`)
    .join('')
