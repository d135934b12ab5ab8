import { useMediaQuery } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type BoardRow, columnsOf } from '@vexil/core/scoreboard'
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BoardState } from '../api/board.ts'
import { CategorySign } from '../ui/category-sign.tsx'
import { Empty } from '../ui/states.tsx'
import c from './board.module.css'
import { Row } from './board-row.tsx'
import { BoardTools } from './board-tools.tsx'

interface Props {
  readonly state: BoardState
  /** In rank order, already filtered by division. */
  readonly rows: readonly BoardRow[]
  readonly own: BoardRow | null
  readonly division: string | null
  readonly badge: ReactNode
  readonly onDivision: (division: string | null) => void
  readonly onChart: () => void
  readonly onOpen: (teamId: number) => void
}

const leastColumn = 24
/** Such titles read from top to bottom; turned letters would stand on their heads. */
const cjk = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/
/** rank, move, team, solved, points */
const stickyWidth = 480

/** One virtual list of all teams, sticky both ways: rows outside the view are not rendered. */
export function BoardTable({ state, rows, own, division, badge, onDivision, onChart, onOpen }: Props) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const [marked, setMarked] = useState<number | null>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const tip = useId()
  const columns = columnsOf(state.board)
  const found = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    return wanted === '' ? rows : rows.filter(({ team }) => team.name.toLowerCase().includes(wanted))
  }, [rows, search])

  const height = useRowHeight()
  const virtual = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
    getItemKey: (index) => found[index]?.team.participationId ?? index,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height means measuring anew
  useEffect(() => {
    virtual.measure()
  }, [height])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another division starts at its top
  useEffect(() => {
    // Newer browsers answer with a promise, which is no way to tidy up after an effect.
    void scroller.current?.scrollTo({ top: 0 })
  }, [division])

  const items = virtual.getVirtualItems()
  const ownIndex = own ? found.findIndex(({ team }) => team.participationId === own.team.participationId) : -1
  const [first, last] = visible(scroller.current, virtual.scrollOffset ?? 0, height)
  const pinned = own && ownIndex >= 0 && (ownIndex < first || ownIndex > last) ? own : null
  const goTo = (index: number) => {
    virtual.scrollToIndex(index, { align: 'center' })
    setMarked(found[index]?.team.participationId ?? null)
  }
  const categories = useMemo(() => spans(columns), [columns])
  const phone = useMediaQuery('(max-width: 767px)') ?? false
  const tools = (
    <BoardTools
      state={state}
      division={division}
      search={search}
      onSearch={setSearch}
      onDivision={onDivision}
      onChart={onChart}
      onMine={ownIndex >= 0 ? () => goTo(ownIndex) : null}
      onRank={(rank) => {
        const index = found.findIndex((row) => (division === null ? row.rank : row.divisionRank) === rank)
        if (index >= 0) goTo(index)
      }}
      badge={badge}
    />
  )

  return (
    <div className={c.place}>
      {phone && tools}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the table scrolls both ways and must be reachable by keyboard */}
      <section ref={scroller} className={c.scroller} tabIndex={0} aria-label={t('board.title')} aria-describedby={tip}>
        <table className={c.table} style={{ ['--least' as string]: `${stickyWidth + columns.length * leastColumn}px` }}>
          <colgroup>
            <col className={c.colRank} />
            {!phone && <col className={c.colMove} />}
            <col className={c.colTeam} />
            {!phone && <col className={c.colSolved} />}
            <col className={c.colPoints} />
            {!phone && columns.map(({ id }) => <col key={id} />)}
          </colgroup>
          <thead>
            {!phone && (
              <tr className={c.signs}>
                <td className={c.corner} colSpan={5} rowSpan={2}>
                  {tools}
                </td>
                {categories.map(({ category, count, id }) => (
                  <th key={id} colSpan={count} scope="colgroup" className={c.category}>
                    <CategorySign category={category} size={18} />
                  </th>
                ))}
              </tr>
            )}
            {!phone && (
              <tr className={c.names}>
                {columns.map(({ id, title }, place) => (
                  <th
                    key={id}
                    scope="col"
                    className={place === 0 || columns[place - 1]?.category !== columns[place]?.category ? c.group : undefined}
                  >
                    <span title={title} className={cjk.test(title) ? c.upright : undefined}>
                      {title}
                    </span>
                  </th>
                ))}
              </tr>
            )}
            <tr className={c.labels}>
              <th scope="col" className={`${c.stick} ${c.rank}`}>
                {division === null ? t('board.rank') : t('board.inDivision')}
              </th>
              {!phone && <td className={`${c.stick} ${c.move}`} />}
              <th scope="col" className={`${c.stick} ${c.team}`}>
                {t('board.team')}
              </th>
              {!phone && (
                <th scope="col" className={`${c.stick} ${c.solved}`}>
                  {t('board.solved')}
                </th>
              )}
              <th scope="col" className={`${c.stick} ${c.points}`}>
                {t('board.points')}
              </th>
              {!phone &&
                columns.map(({ id, value, category }, place) => (
                  <td
                    key={id}
                    className={place === 0 || columns[place - 1]?.category !== category ? `${c.value} ${c.group}` : c.value}
                  >
                    <span>{value}</span>
                  </td>
                ))}
            </tr>
          </thead>
          <tbody>
            {items[0] && items[0].start > 0 && <tr style={{ height: items[0].start }} aria-hidden />}
            {items.map((item) => {
              const row = found[item.index]
              return (
                row && (
                  <Row
                    key={item.key}
                    row={row}
                    columns={phone ? [] : columns}
                    phone={phone}
                    state={state}
                    division={division}
                    own={row.team.participationId === own?.team.participationId}
                    marked={row.team.participationId === marked}
                    onOpen={onOpen}
                  />
                )
              )
            })}
            {items.length > 0 && <tr style={{ height: virtual.getTotalSize() - (items.at(-1)?.end ?? 0) }} aria-hidden />}
          </tbody>
          {pinned && (
            <tfoot>
              <Row
                row={pinned}
                columns={phone ? [] : columns}
                phone={phone}
                state={state}
                division={division}
                own
                pinned
                onOpen={onOpen}
              />
            </tfoot>
          )}
        </table>
        {found.length === 0 && (
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

function spans(columns: ReturnType<typeof columnsOf>) {
  const groups: { category: (typeof columns)[number]['category']; count: number; id: number }[] = []
  for (const { category, id } of columns) {
    const group = groups.at(-1)
    if (group?.category === category) group.count++
    else groups.push({ category, count: 1, id })
  }
  return groups
}
