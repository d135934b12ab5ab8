import { useMediaQuery } from '@mantine/hooks'
import type { BoardRow } from '@vexil/core/scoreboard'
import { type ComponentProps, type MouseEvent, type ReactNode, useId, useMemo, useState } from 'react'
import type { BoardState } from '../api/board.ts'
import { Empty } from '../ui/base/states.tsx'
import { focusSearch } from '../ui/base/use-slash.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import { withZone } from '../ui/time/when.tsx'
import c from './board.module.css'
import { BoardHead } from './board-head.tsx'
import { type CellLabel, Row } from './board-row.tsx'
import { BoardTools } from './board-tools.tsx'
import { useBoardList } from './use-board-list.ts'
import { useColumnSpan } from './use-column-span.ts'

interface Props {
  /** Id of the game. */
  readonly game: number
  readonly state: Omit<BoardState, 'engine'>
  /** In rank order, filtered by division. */
  readonly rows: readonly BoardRow[]
  /** Number of rows, including those not yet loaded. */
  readonly count: number
  readonly whole: boolean
  readonly own: BoardRow | null
  readonly division: string | null
  readonly badge: ReactNode
  /** The bar above the table while an earlier moment is shown. */
  readonly replay: ReactNode
  /** null while it is not available. */
  readonly onReplay: (() => void) | null
  readonly onDivision: (division: string | null) => void
  /** Whether the chart above is shown; null: it opens in a dialog. */
  readonly chart: boolean | null
  readonly onChart: () => void
  readonly onOpen: (teamId: number) => void
}

const leastColumn = 24
/** rank, move, team, solved, points */
const stickyWidth = 480
/** The slanted titles of the last columns extend into it. */
const endWidth = 32

/** A virtual list in both directions: rows and columns outside the view are not rendered. */
export function BoardTable({
  game,
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
  chart,
  onChart,
  onOpen,
}: Props) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const tip = useId()
  const { heads, columns } = state
  const list = useBoardList({ rows, count, own, division }, search)
  const { scroller, found, ownIndex } = list
  const phone = useMediaQuery('(max-width: 767px)') ?? false
  const span = useColumnSpan(scroller, phone ? 0 : heads.length, { before: stickyWidth, after: endWidth })
  const inDivision = division !== null
  const cellLabel = useCellLabel()
  const tools = (
    <BoardTools
      game={game}
      state={state}
      division={division}
      search={search}
      onSearch={setSearch}
      onDivision={onDivision}
      chart={chart}
      onChart={onChart}
      onMine={ownIndex >= 0 ? list.goToOwn : null}
      onRank={list.goToRank}
      badge={badge}
      replaying={Boolean(replay)}
      onReplay={onReplay}
    />
  )
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
          style={{ ['--least' as string]: `${stickyWidth + heads.length * leastColumn + endWidth}px` }}
          onClick={open}
        >
          <Columns phone={phone} heads={heads} />
          <BoardHead heads={heads} span={span} inDivision={inDivision} phone={phone} columns={columns} tools={tools} />
          <BoardRows list={list} state={state} own={own} shared={{ cellLabel, heads, span, inDivision, phone }} />
        </table>
        {found.length === 0 && (whole ? <NothingFound onClear={() => setSearch('')} /> : <p role="status">{t('ui.loading')}</p>)}
      </section>
      <p id={tip} className={c.tip}>
        {t('board.scroll')}
      </p>
    </div>
  )
}

function useCellLabel(): CellLabel {
  const { t } = useTranslation()
  const { language, number } = useFormats()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `number` follows the language
  return useMemo((): CellLabel => {
    // Control characters as placeholders: they cannot be part of a title.
    const words = t('board.cell', { challenge: '\u0001', points: '\u0002', time: '\u0003' })
    return (challenge, points, time) =>
      words
        .replace('\u0001', () => challenge)
        .replace('\u0002', number(points))
        .replace('\u0003', withZone(time, language))
  }, [t, language])
}

function Columns({ phone, heads }: Pick<BoardState, 'heads'> & { readonly phone: boolean }) {
  return (
    <colgroup>
      <col className={c.colRank} />
      {!phone && <col className={c.colMove} />}
      <col className={c.colTeam} />
      {!phone && <col className={c.colSolved} />}
      <col className={c.colPoints} />
      {!phone && heads.map(({ id }) => <col key={id} />)}
      {!phone && <col className={c.colEnd} />}
    </colgroup>
  )
}

interface RowsProps extends Pick<Props, 'state' | 'own'> {
  readonly list: ReturnType<typeof useBoardList>
  readonly shared: Pick<ComponentProps<typeof Row>, 'cellLabel' | 'heads' | 'span' | 'inDivision' | 'phone'>
}

/** The visible rows between spacers; the own row at the foot while it is not visible. */
function BoardRows({ list, state: { recent, moves }, own, shared }: RowsProps) {
  const { virtual, height, found, ownIndex, pinned, marked } = list
  const items = virtual.getVirtualItems()
  const ownId = own?.team.participationId
  return (
    <>
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
    </>
  )
}

function NothingFound({ onClear }: { readonly onClear: () => void }) {
  const { t } = useTranslation()
  return (
    <Empty
      title={t('board.notFound')}
      action={
        <button
          type="button"
          className="link"
          onClick={() => {
            onClear()
            focusSearch()
          }}
        >
          {t('board.clear')}
        </button>
      }
    />
  )
}
