import { keepFile } from '../../api/download.ts'
import { type Action, useAction } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { logText } from './log-lines.ts'
import { allLogs, fileEntriesMost, type LogFilter } from './logs.queries.ts'

export function useLogFile(filter: Pick<LogFilter, 'level' | 'hint'>): Action<void> {
  const { t } = useTranslation()
  return useAction({
    id: 'log-file',
    call: async () => {
      const entries = await allLogs(filter)
      keepFile(new Blob([logText(entries)], { type: 'text/plain;charset=utf-8' }), 'vexil.log')
      return entries.length
    },
    working: t('admin.logs.downloading'),
    done: (count) => (count < fileEntriesMost ? t('admin.logs.downloaded') : t('admin.logs.downloadedNewest', { count })),
    failed: t('admin.logs.notDownloaded'),
  })
}
