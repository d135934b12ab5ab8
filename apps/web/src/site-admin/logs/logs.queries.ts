import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listLogs } from '@vexil/contract/logs'
import { pages } from '@vexil/core/limits'
import type { LogLevelFilter } from '@vexil/core/vocabulary'
import { call } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

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

/** All matching entries, up to the limit of one call; for a file. */
export const allLogs = ({ level, hint }: Pick<LogFilter, 'level' | 'hint'>) =>
  call(listLogs, { query: { level, ...(hint && { hint }), count: pages.logs.max } })
