import { useMediaQuery } from '@mantine/hooks'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import type { BoardRow } from '@vexil/core/scoreboard'
import { type ComponentProps, lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { BoardState } from '../api/board.ts'
import { isWhole, type StartOfBoard } from '../api/board-start.ts'
import { serverNow } from '../api/clock.ts'
import { ErrorBoundary } from '../shell/error-screen.tsx'
import { withParts } from '../shell/paths.ts'
import { foldChart, useChartFolded } from '../shell/preferences.ts'
import { withRetry } from '../ui/base/chunk-recovery.ts'
import { Stat } from '../ui/base/stat.tsx'
import { Empty } from '../ui/base/states.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import c from './board.module.css'
import { BoardTable } from './board-table.tsx'
import { TeamDialog } from './board-team-dialog.tsx'
import { chartHeight } from './chart-lines.ts'
import { PrintBoard, usePrinting } from './print-board.tsx'
import { momentText, openReplay, readMomentText } from './replay.ts'

const ReplayBar = lazy(withRetry(() => import('./replay-bar.tsx').then((module) => ({ default: module.ReplayBar }))))
const BoardChart = lazy(withRetry(() => import('./board-chart.tsx').then((module) => ({ default: module.BoardChart }))))

const none: readonly BoardRow[] = []

interface Props {
  readonly game: DetailedGame
  readonly phase: Phase
  readonly state: BoardState | StartOfBoard
  readonly badge: ReactNode
}

/** Chart and table; a large board starts with the known teams. Division, open team and moment are in the address. */
export function BoardView({ game, phase, state: newest, badge }: Props) {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const [added, setAdded] = useState<number | null>(null)
  const [charting, setCharting] = useState(false)
  const folded = useChartFolded()
  const printing = usePrinting()
  const wide = useMediaQuery('(min-width: 1080px)', undefined, { getInitialValueInEffect: false })
  const change = useCallback(
    (name: string, value: string | null) =>
      setQuery((old) => withParts(old, { [name]: value || null }), { replace: name !== 'team' }),
    [setQuery],
  )

  const [chosen, moveTo] = useMoment(newest)
  // An earlier moment needs all solves.
  const moment = isWhole(newest) ? chosen : null
  const [replay] = useState(openReplay)
  const state = useMemo(() => (moment === null || !isWhole(newest) ? newest : replay(newest, moment)), [newest, moment, replay])
  const whole = isWhole(state)
  const { rows } = state
  const extraRows = isWhole(state) ? none : state.extraRows
  const teams = isWhole(state) ? rows.length : state.teamCount
  const requestedDivision = query.get('division')
  const division = requestedDivision !== null && state.divisions.includes(requestedDivision) ? requestedDivision : null
  const shown = useDivision(rows, division)
  const own = useOwnRow(game, rows, extraRows)
  const changeDivision = useCallback((name: string | null) => change('division', name), [change])
  const [byHand, setByHand] = useState(false)
  const switchReplay = useCallback(() => {
    setByHand(true)
    moveTo(moment !== null ? null : phase === 'running' ? serverNow() : newest.endsAt)
  }, [moveTo, moment, phase, newest.endsAt])
  const openChart = useCallback(() => setCharting(true), [])
  const teamId = query.get('team')
  const opened = teamId === null ? null : findTeam(teamId, rows, extraRows)

  // Invalid values are dropped from the address.
  const unknown =
    (teamId !== null && !opened && whole && 'team') ||
    (requestedDivision !== null && division === null && 'division') ||
    (query.get('at') !== null && moment === null && whole && 'at') ||
    null
  useDropped(unknown)

  if (rows.length === 0) {
    return <Empty flag="T" title={t('board.none')} text={t('board.noneText')} />
  }
  const chart = (height: number) => (
    <Chart game={game} phase={phase} state={state} division={division} own={own} added={added} moment={moment} height={height} />
  )
  const replayBar = moment !== null && (
    <Suspense fallback={<div className={c.replayPlace} />}>
      <ReplayBar state={newest} phase={phase} moment={moment} focus={byHand} onMove={moveTo} onClose={() => moveTo(null)} />
    </Suspense>
  )
  return (
    <div className={c.board}>
      {wide && !folded && <div className={c.chart}>{chart(chartHeight.board)}</div>}
      {own && <OwnNumbers own={own} teams={teams} total={state.columns.length} />}
      <BoardTable
        game={game.id}
        state={state}
        rows={shown}
        count={division === null ? teams : shown.length}
        whole={whole}
        own={own}
        division={division}
        badge={moment === null ? badge : t('board.asOf')}
        replay={replayBar}
        onReplay={whole ? switchReplay : null}
        onDivision={changeDivision}
        chart={wide ? !folded : null}
        onChart={wide ? () => foldChart(!folded) : openChart}
        onOpen={(team) => {
          setAdded(team)
          change('team', String(team))
        }}
      />
      <Dialog opened={charting} onClose={() => setCharting(false)} title={t('board.chart')} size={1000} tall>
        {chart(chartHeight.dialog)}
      </Dialog>
      {printing && whole && (
        <PrintBoard title={game.title} state={state} at={moment ?? state.changedAt} rows={shown} division={division} />
      )}
      {opened && <TeamDialog row={opened} state={state} whole={whole} onClose={() => change('team', null)} />}
    </div>
  )
}

/** Loaded with the first drawing; a sentence where the browser cannot draw. */
export function Chart(props: ComponentProps<typeof BoardChart>) {
  const { t } = useTranslation()
  return (
    <ErrorBoundary
      instead={
        <p className={`${c.chartPlace} dim`} style={{ height: props.height }}>
          {t('board.noChart')}
        </p>
      }
    >
      <Suspense fallback={<div style={{ height: props.height }} />}>
        <BoardChart {...props} />
      </Suspense>
    </ErrorBoundary>
  )
}

const useDivision = (rows: readonly BoardRow[], division: string | null): readonly BoardRow[] =>
  useMemo(() => (division === null ? rows : rows.filter(({ team }) => team.division === division)), [rows, division])

function findTeam(id: string, rows: readonly BoardRow[], extraRows: readonly BoardRow[]): BoardRow | null {
  const isIt = ({ team }: BoardRow) => String(team.id) === id
  return rows.find(isIt) ?? extraRows.find(isIt) ?? null
}

function useOwnRow(game: DetailedGame, rows: readonly BoardRow[], extraRows: readonly BoardRow[]): BoardRow | null {
  return useMemo(() => {
    if (game.status !== 'Accepted') return null
    const isOwn = ({ team }: BoardRow) => game.teamName === team.name && String(team.id) in game.registered
    return rows.find(isOwn) ?? extraRows.find(isOwn) ?? null
  }, [rows, extraRows, game])
}

function useDropped(name: string | null): void {
  const { t } = useTranslation()
  const [, setQuery] = useSearchParams()
  useEffect(() => {
    if (name === null) return
    toast({ id: 'parameter', kind: 'wary', title: t('ui.incorrectParameter') })
    setQuery((old) => withParts(old, { [name]: null }), { replace: true })
  }, [name, setQuery, t])
}

/** Delay before the address follows a dragged slider: browsers limit its changes per second. */
const restMs = 400

/** Moment shown, ms; null: the newest board. In the address as `at`. */
function useMoment(state: Pick<BoardState, 'startsAt' | 'endsAt'>): [number | null, (moment: number | null) => void] {
  const [query, setQuery] = useSearchParams()
  const requested = query.get('at')
  /** The choice; the address follows later and has whole seconds. */
  const [moved, setMoved] = useState<{ readonly to: number | null } | null>(null)
  const [known, setKnown] = useState(requested)
  const [written, setWritten] = useState(requested)
  // The address changed from outside, such as by the back button, and wins. An address written here may be older than the choice.
  if (requested !== known) {
    setKnown(requested)
    if (requested !== written) setMoved(null)
  }
  useEffect(() => {
    if (!moved) return
    const at = moved.to === null ? null : momentText(moved.to)
    if (at === requested) return
    const write = () => {
      setWritten(at)
      setQuery((old) => withParts(old, { at }), { replace: true })
    }
    const timer = setTimeout(write, at === null ? 0 : restMs)
    return () => clearTimeout(timer)
  }, [moved, requested, setQuery])
  const moveTo = useCallback((to: number | null) => setMoved({ to }), [])
  return [moved ? moved.to : readMomentText(requested, state), moveTo]
}

interface OwnProps {
  readonly own: BoardRow
  readonly teams: number
  readonly total: number
}

function OwnNumbers({ own, teams, total }: OwnProps) {
  const { t } = useTranslation()
  const { number } = useFormats()
  return (
    <section className={c.numbers} aria-label={t('board.own')}>
      <Stat form="row" value={own.rank} label={t('play.ofTeams', { count: teams })} />
      <Stat form="row" value={number(own.points)} label={t('play.points')} />
      <Stat form="row" value={own.solves.length} label={t('play.ofSolved', { count: total })} />
    </section>
  )
}
