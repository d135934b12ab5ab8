import { keepFile } from '../../api/download.ts'
import { type Action, useAction } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { logText } from './log-lines.ts'
import { allLogs, type LogFilter } from './logs.queries.ts'

export function useLogFile(filter: Pick<LogFilter, 'level' | 'hint'>): Action<void> {
  const { t } = useTranslation()
  return useAction({
    id: 'log-file',
    call: async () => keepFile(new Blob([logText(await allLogs(filter))], { type: 'text/plain;charset=utf-8' }), 'vexil.log'),
    working: t('admin.logs.downloading'),
    done: t('admin.logs.downloaded'),
    failed: t('admin.logs.notDownloaded'),
  })
}
