import { ActionIcon, Button, SegmentedControl, TextInput } from '@mantine/core'
import { IconFileSpreadsheet, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type Submission, submissionSheet } from '@vexil/contract/submissions'
import type { AnswerResult } from '@vexil/core/vocabulary'
import { useRef, useState } from 'react'
import { pollWithout } from '../api/live.ts'
import { keys } from '../api/query-keys.ts'
import type { InGame } from '../shell/game-frame.tsx'
import { FeedState } from '../ui/base/feed-state.tsx'
import { Pager } from '../ui/base/pager.tsx'
import { Empty, QueryView } from '../ui/base/states.tsx'
import { useDownload } from '../ui/base/use-download.ts'
import { useFeed } from '../ui/base/use-feed.ts'
import { focusSearch, useSlash } from '../ui/base/use-slash.ts'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { keepSubmissions, submissionKey } from './feed.ts'
import c from './monitor.module.css'
import { deepCount, foundShown, submissionPage, submissionsQuery } from './monitor.queries.ts'
import { SearchNote } from './search-note.tsx'
import { SubmissionTable } from './submission-table.tsx'
import { useListError } from './use-list-error.ts'
import { useMonitorLive } from './use-monitor-live.ts'

/** Abbreviations of older tools, shown after the words. */
const kinds = { Accepted: 'AC', WrongAnswer: 'WA', CheatDetected: 'CD', NotFound: 'NF' } as const
type Kind = keyof typeof kinds

export function SubmissionFeed({ game, phase }: InGame) {
  const { t } = useTranslation()
  const [type, setType] = useState<AnswerResult>()
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useSlash(field)
  const [page, setPage] = useState(1)
  const searching = text.trim() !== ''
  const most = searching ? deepCount : submissionPage
  const at = searching ? 1 : page
  const query = submissionsQuery(game.id, { type, count: most, skip: (at - 1) * most })
  const feed = useFeed<Submission>(
    { queryKey: query.queryKey, family: keys.game(game.id).submissions(), keyOf: submissionKey, most },
    at,
    setPage,
  )
  const live = useMonitorLive(game.id, phase, {
    ReceivedSubmissions: (submission) => {
      if (type === undefined || submission.status === type) feed.add(submission)
    },
  })
  const list = useQuery({ ...query, enabled: feed.loads, refetchInterval: phase === 'running' && at === 1 && pollWithout(live) })
  useListError(list)
  const clear = () => {
    setText('')
    setType(undefined)
  }
  return (
    <>
      <div className={c.tools}>
        <ResultChoice
          type={type}
          onType={(chosen) => {
            setType(chosen)
            setPage(1)
          }}
        />
        <TextInput
          ref={field}
          className={c.search}
          leftSection={<IconSearch size={18} stroke={1.6} />}
          placeholder={t('monitor.find')}
          aria-label={t('monitor.find')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <span className={c.right}>
          <FeedState live={live} waiting={feed.waiting} paused={feed.paused} onCatchUp={feed.catchUp} />
          <SheetButton game={game.id} />
          {!searching && <Pager page={page} last={(list.data?.length ?? 0) < submissionPage} onTurn={feed.turn} />}
        </span>
      </div>
      {searching && <SearchNote found={keepSubmissions(list.data ?? [], text).length} />}
      <QueryView query={list}>
        {(all) => {
          const shown = keepSubmissions(all, text)
          if (shown.length > 0) return <SubmissionTable submissions={shown.slice(0, foundShown)} fresh={feed.fresh} />
          const narrowed = searching || type !== undefined
          return (
            <Empty
              flag="S"
              title={t(searching ? 'monitor.notFound' : narrowed ? 'monitor.submissions.noneHere' : 'monitor.submissions.none')}
              action={
                narrowed && (
                  <Button
                    variant="default"
                    onClick={() => {
                      clear()
                      focusSearch()
                    }}
                  >
                    {t('monitor.showAll')}
                  </Button>
                )
              }
            />
          )
        }}
      </QueryView>
    </>
  )
}

interface ChoiceProps {
  readonly type: AnswerResult | undefined
  readonly onType: (type: Kind | undefined) => void
}

function ResultChoice({ type, onType }: ChoiceProps) {
  const { t } = useTranslation()
  return (
    <SegmentedControl
      aria-label={t('monitor.submissions.which')}
      value={type ?? 'all'}
      onChange={(value) => onType(value === 'all' ? undefined : (value as Kind))}
      data={[
        { value: 'all', label: t('monitor.submissions.all') },
        ...(Object.keys(kinds) as Kind[]).map((value) => ({
          value,
          label: (
            <Tooltip label={kinds[value]}>
              <span>{t(`monitor.result.${value}`)}</span>
            </Tooltip>
          ),
        })),
      ]}
    />
  )
}

function SheetButton({ game }: { readonly game: number }) {
  const { t } = useTranslation()
  const sheet = useDownload(submissionSheet, { params: { id: game } })
  return (
    <Tooltip label={t('monitor.submissionSheet')}>
      <ActionIcon
        aria-label={t('monitor.submissionSheet')}
        disabled={sheet.busy || sheet.wait > 0}
        onClick={() => void sheet.start()}
      >
        <IconFileSpreadsheet size={20} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  )
}
