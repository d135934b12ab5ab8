import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { LogMessage } from '@vexil/contract/live'
import { listLogs } from '@vexil/contract/logs'
import { pages } from '@vexil/core/limits'
import type { LogLevelFilter } from '@vexil/core/vocabulary'
import { call } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import { logKey } from './log-lines.ts'

export const logPage = 50

export interface LogFilter {
  readonly level: LogLevelFilter
  readonly hint: string
  readonly page: number
}

export const logsQuery = (filter: LogFilter) =>
  queryOptions({
    queryKey: keys.admin.logs(filter),
    queryFn: ({ signal }) => {
      const { level, hint, page } = filter
      return call(listLogs, { query: { level, ...(hint && { hint }), count: logPage, skip: (page - 1) * logPage }, signal })
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

/** Maximum number of entries in a file: about 30 MB. */
export const fileEntriesMost = 200_000

/** The newest matching entries for a file, in as many calls as needed. New entries shift the pages, so repeated entries are left out. */
export async function allLogs({ level, hint }: Pick<LogFilter, 'level' | 'hint'>): Promise<LogMessage[]> {
  const all: LogMessage[] = []
  for (;;) {
    const count = Math.min(pages.logs.max, fileEntriesMost - all.length)
    const page = await call(listLogs, { query: { level, ...(hint && { hint }), count, skip: all.length } })
    const last = all.at(-1)
    const repeated = last ? page.findLastIndex((entry) => logKey(entry) === logKey(last)) + 1 : 0
    all.push(...page.slice(repeated))
    if (page.length < count || all.length >= fileEntriesMost) return all
  }
}
