import type { LogMessage } from '@vexil/contract/live'
import { type LogLevelFilter, logLevelFilters } from '@vexil/core/vocabulary'

export const logKey = ({ time, level, status, name, ip, msg }: LogMessage) => [time, level, status, name, ip, msg].join('\n')

/** The filters offered; `All` includes fatal entries. */
export const shownLevels = ['Information', 'Warning', 'Error', 'All'] as const

export const levelOf = (text: string | null): LogLevelFilter => logLevelFilters.find((level) => level === text) ?? 'Information'

/** Whether the server's list would include a live entry. */
export function keepsLog({ level, name, ip, msg }: LogMessage, wanted: LogLevelFilter, hint: string): boolean {
  if (wanted !== 'All' && level !== wanted) return false
  return [msg, name, ip].some((text) => (text ?? '').toLowerCase().includes(hint.toLowerCase()))
}

/** One line per entry, oldest first, as in log files. */
export const logText = (entries: readonly LogMessage[]): string =>
  [...entries]
    .reverse()
    .map(({ time, level, status, ip, name, msg }) => [time, level, status || '-', ip || '-', name, msg].join('\t'))
    .map((line) => `${line}\n`)
    .join('')
