import { Button, Switch, TextInput } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { GameEvent } from '@vexil/contract/games'
import { type EventType, eventTypes } from '@vexil/core/vocabulary'
import { useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { pollWithout } from '../api/live.ts'
import { keys } from '../api/query-keys.ts'
import type { InGame } from '../shell/game-frame.tsx'
import { withParts } from '../shell/paths.ts'
import { numbered } from '../ui/base/feed-list.ts'
import { FeedState } from '../ui/base/feed-state.tsx'
import { Pager } from '../ui/base/pager.tsx'
import { Empty, QueryView } from '../ui/base/states.tsx'
import { useFeed } from '../ui/base/use-feed.ts'
import { focusSearch, useSlash } from '../ui/base/use-slash.ts'
import { Select } from '../ui/fields/select.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { ActivityChart, type TimeSpan } from './activity-chart.tsx'
import { EventRow } from './event-row.tsx'
import { type EventFilter, eventKey, isContainerEvent, keepEvents } from './feed.ts'
import c from './monitor.module.css'
import { deepCount, eventPage, eventsQuery, foundShown } from './monitor.queries.ts'
import { SearchNote } from './search-note.tsx'
import { useListError } from './use-list-error.ts'
import { useMonitorLive } from './use-monitor-live.ts'

/** A time span of the address, in milliseconds; undefined when invalid. */
function spanOf(address: URLSearchParams): TimeSpan | undefined {
  const [from, before] = [Number(address.get('from')), Number(address.get('before'))]
  return from > 0 && before > from && before < 8.64e15 ? { from, before } : undefined
}
const isoOf = (span: TimeSpan | undefined) =>
  span && { from: new Date(span.from).toISOString(), before: new Date(span.before).toISOString() }

const nothing: EventFilter = { type: null, text: '' }

export function EventFeed({ game, phase }: InGame) {
  const { t } = useTranslation()
  const [hideContainer, setHide] = useLocalStorage({
    key: 'hide-container-events',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const [filter, setFilter] = useState(nothing)
  const [page, setPage] = useState(1)
  const [address, setAddress] = useSearchParams()
  const span = spanOf(address)
  const filtered = filter.type !== null || filter.text.trim() !== ''
  const most = filtered ? deepCount : eventPage
  const at = filtered ? 1 : page
  const query = eventsQuery(game.id, { hideContainer, count: most, skip: (at - 1) * most, ...isoOf(span) })
  const feed = useFeed<GameEvent>(
    { queryKey: query.queryKey, family: keys.game(game.id).events(), keyOf: eventKey, most, canPause: true },
    at,
    setPage,
  )
  const live = useMonitorLive(game.id, phase, {
    ReceivedGameEvent: (event) => {
      const inside = !span || (Date.parse(event.time) >= span.from && Date.parse(event.time) < span.before)
      if (inside && !(hideContainer && isContainerEvent(event.type))) feed.add(event)
    },
  })
  const list = useQuery({
    ...query,
    enabled: feed.loads,
    refetchInterval: phase === 'running' && at === 1 && pollWithout(live),
  })
  useListError(list)
  const narrow = (to: TimeSpan | undefined) => {
    setAddress((old) => withParts(old, { from: to ? String(to.from) : null, before: to ? String(to.before) : null }), {
      replace: true,
    })
    setPage(1)
  }
  return (
    <>
      <ActivityChart game={game} phase={phase} span={span} onSpan={narrow} />
      <div className={c.tools}>
        <Filters filter={filter} onFilter={setFilter} />
        <Switch
          label={t('monitor.events.hideContainer')}
          checked={hideContainer}
          onChange={(event) => {
            setHide(event.currentTarget.checked)
            setPage(1)
          }}
        />
        <span className={c.right}>
          <FeedState live={live} waiting={feed.waiting} paused={feed.paused} onCatchUp={feed.catchUp} onPause={feed.pause} />
          {!filtered && <Pager page={page} last={(list.data?.length ?? 0) < eventPage} onTurn={feed.turn} />}
        </span>
      </div>
      {filtered && <SearchNote found={keepEvents(list.data ?? [], filter).length} />}
      <QueryView query={list}>
        {(events) => {
          const shown = keepEvents(events, filter)
          if (shown.length > 0) return <Events events={shown.slice(0, foundShown)} fresh={feed.fresh} />
          return <NoEvents narrowed={filtered || span !== undefined} onClear={filtered ? () => setFilter(nothing) : undefined} />
        }}
      </QueryView>
    </>
  )
}

interface FiltersProps {
  readonly filter: EventFilter
  readonly onFilter: (filter: EventFilter) => void
}

function Filters({ filter, onFilter }: FiltersProps) {
  const { t } = useTranslation()
  const field = useRef<HTMLInputElement>(null)
  useSlash(field)
  return (
    <>
      <TextInput
        ref={field}
        className={c.search}
        leftSection={<IconSearch size={18} stroke={1.6} />}
        placeholder={t('monitor.findEvents')}
        aria-label={t('monitor.findEvents')}
        value={filter.text}
        onChange={(event) => onFilter({ ...filter, text: event.currentTarget.value })}
      />
      <Select
        className={c.select}
        aria-label={t('monitor.events.type')}
        placeholder={t('monitor.events.allTypes')}
        clearable
        data={eventTypes.map((value) => ({ value, label: t(`monitor.events.types.${value}`) }))}
        value={filter.type}
        onChange={(type) => onFilter({ ...filter, type: type as EventType | null })}
      />
    </>
  )
}

interface EventsProps {
  readonly events: readonly GameEvent[]
  readonly fresh: ReadonlySet<string>
}

const Events = ({ events, fresh }: EventsProps) => (
  <ul className={c.list}>
    {numbered(events, eventKey).map(({ key, entry }) => (
      <EventRow key={key} event={entry} fresh={fresh.has(eventKey(entry))} />
    ))}
  </ul>
)

interface NoEventsProps {
  readonly narrowed: boolean
  readonly onClear: (() => void) | undefined
}

function NoEvents({ narrowed, onClear }: NoEventsProps) {
  const { t } = useTranslation()
  return (
    <Empty
      flag="E"
      title={t(narrowed ? 'monitor.notFound' : 'monitor.events.none')}
      action={
        onClear && (
          <Button
            variant="default"
            onClick={() => {
              onClear()
              focusSearch()
            }}
          >
            {t('monitor.showAll')}
          </Button>
        )
      }
    />
  )
}
