import { Button, SegmentedControl } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { LogMessage } from '@vexil/contract/live'
import { pollWithout } from '../../api/live.ts'
import { keys } from '../../api/query-keys.ts'
import { FeedState } from '../../ui/base/feed-state.tsx'
import { Pager } from '../../ui/base/pager.tsx'
import { Empty, QueryView } from '../../ui/base/states.tsx'
import { useFeed } from '../../ui/base/use-feed.ts'
import { focusSearch } from '../../ui/base/use-slash.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from '../list.module.css'
import { SearchField } from '../list-parts.tsx'
import { AdminFrame } from '../site-admin-frame.tsx'
import { useListAddress } from '../use-list-address.ts'
import { keepsLog, levelOf, logKey, shownLevels } from './log-lines.ts'
import { LogTable } from './log-table.tsx'
import { logPage, logsQuery } from './logs.queries.ts'
import { useLogFile } from './use-log-file.ts'
import { useLogLive } from './use-log-live.ts'

export default function LogsScreen() {
  const { t } = useTranslation()
  const { search, page, part, change, find, turn } = useListAddress()
  const level = levelOf(part('level'))
  const query = logsQuery({ level, hint: search, page })
  const feed = useFeed<LogMessage>(
    { queryKey: query.queryKey, family: keys.admin.logs(), keyOf: logKey, most: logPage, canPause: true },
    page,
    turn,
  )
  const live = useLogLive((entry) => {
    if (keepsLog(entry, level, search)) feed.add(entry)
  })
  const list = useQuery({ ...query, enabled: feed.loads, refetchInterval: page === 1 && pollWithout(live) })
  const save = useLogFile({ level, hint: search })
  const narrowed = search !== '' || page > 1 || level !== 'All'
  return (
    <AdminFrame tab="logs">
      <div className={c.tools}>
        <SegmentedControl
          aria-label={t('admin.logs.level')}
          value={level}
          onChange={(value) => change({ level: value === 'Information' ? null : value })}
          data={shownLevels.map((value) => ({ value, label: t(`admin.logs.levels.${value}`) }))}
        />
        <SearchField label={t('admin.logs.find')} search={search} onSearch={find} least={3} />
        <span className={c.right}>
          <FeedState live={live} waiting={feed.waiting} paused={feed.paused} onCatchUp={feed.catchUp} onPause={feed.pause} />
          <Button
            size="sm"
            variant="default"
            leftSection={<IconDownload size={16} stroke={1.6} />}
            loading={save.busy}
            disabled={save.wait > 0 || list.data?.length === 0}
            onClick={() => void save.start()}
          >
            {t('admin.logs.download')}
          </Button>
          <Pager page={page} last={(list.data?.length ?? 0) < logPage} onTurn={feed.turn} />
        </span>
      </div>
      <QueryView query={list}>
        {(entries) =>
          entries.length > 0 ? (
            <LogTable entries={entries} fresh={feed.fresh} />
          ) : (
            <Empty
              flag="L"
              title={t(narrowed ? 'admin.logs.notFound' : 'admin.logs.none')}
              action={
                narrowed && (
                  <Button
                    variant="default"
                    onClick={() => {
                      change({ search: null, level: 'All' })
                      focusSearch()
                    }}
                  >
                    {t('admin.clearSearch')}
                  </Button>
                )
              }
            />
          )
        }
      </QueryView>
    </AdminFrame>
  )
}
