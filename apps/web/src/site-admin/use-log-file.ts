import { useTranslation } from 'react-i18next'
import { saveFile } from '../ui/save-file.ts'
import { type Action, useAction } from '../ui/use-action.ts'
import { logText } from './log-lines.ts'
import { allLogs, type LogFilter } from './site-admin.queries.ts'

/** Saves what the filter shows, all pages of it (LG-4). */
export function useLogFile(filter: Pick<LogFilter, 'level' | 'hint'>): Action<void> {
  const { t } = useTranslation()
  return useAction({
    id: 'log-file',
    call: async () => saveFile('vexil.log', logText(await allLogs(filter)), 'text/plain'),
    working: t('admin.logs.downloading'),
    done: t('admin.logs.downloaded'),
    failed: t('admin.logs.notDownloaded'),
  })
}
