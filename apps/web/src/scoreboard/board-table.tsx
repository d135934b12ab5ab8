import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { BoardRow } from '@vexil/core/scoreboard'
import { type MouseEvent, type ReactNode, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { BoardState } from '../api/board.ts'
import { Empty } from '../ui/states.tsx'
import { useTranslation } from '../ui/texts.tsx'
import { useFormats } from '../ui/time.ts'
import { withZone } from '../ui/when.tsx'
import c from './board.module.css'
import { BoardHead } from './board-head.tsx'
import { Row, type SayCell } from './board-row.tsx'
import { BoardTools } from './board-tools.tsx'
import { useColumnSpan } from './use-column-span.ts'

interface Props {
  readonly state: Omit<BoardState, 'engine'>
  /** In rank order, already filtered by division. */
  readonly rows: readonly BoardRow[]
  /** How many there are; those beyond `rows` are still to come. */
  readonly count: number
  /** Are all rows known? */
  readonly whole: boolean
  readonly own: BoardRow | null
  readonly division: string | null
  readonly badge: ReactNode
  /** The bar above the table while an earlier moment is shown. */
  readonly replay: ReactNode
  /** null while it cannot be shown. */
  readonly onReplay: (() => void) | null
  readonly onDivision: (division: string | null) => void
  readonly onChart: () => void
  readonly onOpen: (teamId: number) => void
}

const leastColumn = 24
/** rank, move, team, solved, points */
const stickyWidth = 480

/** One virtual list of all teams, sticky both ways: rows and columns outside the view are not rendered. */
export function BoardTable({
  state,
  rows,
  count,
  whole,
  own,
  division,
  badge,
  replay,
  onReplay,
  onDivision,
  onChart,
  onOpen,
}: Props) {
  const { t } = useTranslation()
  const { language } = useFormats()
  const [search, setSearch] = useState('')
  const [marked, setMarked] = useState<number | null>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const tip = useId()
  const { heads, columns, recent, moves } = state
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    return wanted === '' ? rows : rows.filter(({ team }) => team.name.toLowerCase().includes(wanted))
  }, [rows, search])
  const listed = found === rows ? count : found.length

  const height = useRowHeight()
  const virtual = useVirtualizer({
    count: listed,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    // One for the Tab key; each further row makes every jump dearer.
    overscan: 1,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height means measuring anew
  useEffect(() => {
    virtual.measure()
  }, [height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another division starts at its top
  useEffect(() => {
    // Newer browsers return a promise, which is not a clean-up function of an effect.
    void scroller.current?.scrollTo({ top: 0 })
  }, [division])

  const items = virtual.getVirtualItems()
  const ownId = own?.team.participationId
  const ownIndex = useMemo(() => {
    if (!own) return -1
    const index = found.indexOf(own)
    // Rows between the first ones and the own one are still to come.
    return index < 0 && listed > found.length ? own.rank - 1 : index
  }, [found, listed, own])
  const [first, last] = visible(scroller.current, virtual.scrollOffset ?? 0, height)
  const pinned = own && ownIndex >= 0 && (ownIndex < first || ownIndex > last) ? own : null
  const goTo = useLatest((index: number) => {
    if (index < 0) return
    virtual.scrollToIndex(index, { align: 'center' })
    const row = index === ownIndex ? own : found[index]
    setMarked(row?.team.participationId ?? null)
  })
  const goToOwn = useLatest(() => goTo(ownIndex))
  const goToRank = useLatest((rank: number) =>
    goTo(
      division === null && found === rows
        ? rank - 1
        : found.findIndex((row) => (division === null ? row.rank : row.divisionRank) === rank),
    ),
  )
  const phone = useMediaQuery('(max-width: 767px)') ?? false
  const span = useColumnSpan(scroller, phone ? 0 : heads.length, stickyWidth)
  const inDivision = division !== null
  const say = useMemo((): SayCell => {
    // The texts are looked up once; the placeholders in them cannot be part of a title.
    const words = t('board.cell', { challenge: '\u0001', points: '\u0002', time: '\u0003' })
    return (challenge, points, time) =>
      words
        .replace('\u0001', () => challenge)
        .replace('\u0002', String(points))
        .replace('\u0003', withZone(time, language))
  }, [t, language])
  const tools = (
    <BoardTools
      state={state}
      division={division}
      search={search}
      onSearch={setSearch}
      onDivision={onDivision}
      onChart={onChart}
      onMine={ownIndex >= 0 ? goToOwn : null}
      onRank={goToRank}
      badge={badge}
      replaying={Boolean(replay)}
      onReplay={onReplay}
    />
  )
  const shared = { say, heads, span, inDivision, phone }
  const open = (event: MouseEvent) => {
    const team = (event.target as Element).closest<HTMLElement>('[data-team]')?.dataset.team
    if (team !== undefined) onOpen(Number(team))
  }

  return (
    <div className={c.place}>
      {replay}
      {phone && tools}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the table scrolls both ways and must be reachable by keyboard */}
      <section ref={scroller} className={c.scroller} tabIndex={0} aria-label={t('board.title')} aria-describedby={tip}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: each row has a button with the team's name */}
        <table
          className={c.table}
          style={{ ['--least' as string]: `${stickyWidth + heads.length * leastColumn}px` }}
          onClick={open}
        >
          <colgroup>
            <col className={c.colRank} />
            {!phone && <col className={c.colMove} />}
            <col className={c.colTeam} />
            {!phone && <col className={c.colSolved} />}
            <col className={c.colPoints} />
            {!phone && heads.map(({ id }) => <col key={id} />)}
          </colgroup>
          <BoardHead heads={heads} span={span} inDivision={inDivision} phone={phone} columns={columns} tools={tools} />
          <tbody>
            {items[0] && items[0].start > 0 && <tr style={{ height: items[0].start }} aria-hidden />}
            {items.map((item) => {
              const row = item.index === ownIndex ? own : found[item.index]
              if (!row) return <tr key={`to come ${item.index}`} style={{ height }} aria-hidden />
              const id = row.team.participationId
              return (
                <Row
                  key={id}
                  {...shared}
                  row={row}
                  recent={recent.get(id)}
                  move={moves.get(id)}
                  own={id === ownId}
                  marked={id === marked}
                />
              )
            })}
            {items.length > 0 && <tr style={{ height: virtual.getTotalSize() - (items.at(-1)?.end ?? 0) }} aria-hidden />}
          </tbody>
          {pinned && (
            <tfoot>
              <Row {...shared} row={pinned} recent={recent.get(ownId ?? 0)} move={moves.get(ownId ?? 0)} own pinned />
            </tfoot>
          )}
        </table>
        {found.length === 0 && !whole && <p role="status">{t('ui.loading')}</p>}
        {found.length === 0 && whole && (
          <Empty
            title={t('board.notFound')}
            action={
              <button type="button" className="link" onClick={() => setSearch('')}>
                {t('board.clear')}
              </button>
            }
          />
        )}
      </section>
      <p id={tip} className={c.tip}>
        {t('board.scroll')}
      </p>
    </div>
  )
}

/** The same function at every drawing, which does what the latest one says; for parts that need not be drawn with each solve. */
function useLatest<Args extends unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  return useCallback((...args: Args) => latest.current(...args), [])
}

/** First and last row that can be seen between head and foot. */
function visible(element: HTMLElement | null, offset: number, height: number): [number, number] {
  if (!element) return [0, Number.POSITIVE_INFINITY]
  const head = element.querySelector('thead')?.offsetHeight ?? 0
  return [Math.floor(offset / height), Math.floor((offset + element.clientHeight - head) / height) - 1]
}

/** Rows are higher on phones and lower in the compact density. */
function rowHeight(): number {
  if (window.matchMedia('(max-width: 767px)').matches) return 56
  return document.documentElement.dataset.density === 'compact' ? 27 : 33
}

function useRowHeight(): number {
  const [height, setHeight] = useState(rowHeight)
  useEffect(() => {
    const heard = () => setHeight(rowHeight())
    const watcher = new MutationObserver(heard)
    watcher.observe(document.documentElement, { attributeFilter: ['data-density'] })
    window.addEventListener('resize', heard)
    return () => {
      watcher.disconnect()
      window.removeEventListener('resize', heard)
    }
  }, [])
  return height
}
