import { IconArrowLeft, IconMaximize, IconPlayerPause, IconRotateClockwise } from '@tabler/icons-react'
import type { DetailedGame } from '@vexil/contract/games'
import type { BoardRow } from '@vexil/core/scoreboard'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { Link, useParams } from 'react-router'
import { type BoardState, useBoard } from '../api/board.ts'
import { Refusal } from '../api/client.ts'
import { usePhase } from '../api/use-phase.ts'
import { useGame } from '../shell/game.ts'
import { redirectFor } from '../shell/game-frame.tsx'
import NotFoundScreen from '../shell/not-found.screen.tsx'
import { paths } from '../shell/paths.ts'
import { ScreenSkeleton } from '../shell/screen-skeleton.tsx'
import { useTitle } from '../shell/site.ts'
import { Avatar } from '../ui/base/avatar.tsx'
import { Failure, QueryView, Waiting } from '../ui/base/states.tsx'
import { BloodMark, type Place } from '../ui/game/blood-mark.tsx'
import { latestSolves } from '../ui/game/latest-solves.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { Countdown } from '../ui/time/countdown.tsx'
import { useFormats } from '../ui/time/time.ts'
import { When } from '../ui/time/when.tsx'
import { Chart } from './board-view.tsx'
import c from './hall.module.css'
import { useWakeLock } from './use-wake-lock.ts'

const rowsShown = 20
/** Rotation goes through the first hundred teams. */
const pagesMost = 5
const pageMs = 15_000
const solvesShown = 9
/** Height of a line in pixels. */
const solveHeight = 48
const chartHeight = 300

/** The scoreboard for a projector or a display in the hall: nothing needs the mouse. */
export default function HallScreen() {
  const id = Number(useParams().id)
  const query = useGame(id)
  if (query.error instanceof Refusal && query.error.http === 404) return <NotFoundScreen games={paths.games} />
  if (query.data) return <Hall game={query.data} />
  return query.error ? <Failure error={query.error} onRetry={() => void query.refetch()} /> : <ScreenSkeleton />
}

function Hall({ game }: { readonly game: DetailedGame }) {
  const { t } = useTranslation()
  const phase = usePhase(game)
  const query = useBoard(game.id, phase !== 'before', true)
  useTitle(`${t('board.hall')} - ${game.title}`)
  useWakeLock()
  const [rotating, setRotating] = useState(true)
  const redirect = redirectFor(game, query.error)
  if (redirect) return redirect
  return (
    <main className={c.hall}>
      <header className={c.head}>
        <h1>{game.title}</h1>
        <span className={c.clock}>
          {phase === 'ended' ? t('frame.over') : <Countdown to={phase === 'before' ? game.start : game.end} size="clock" />}
        </span>
      </header>
      {phase === 'before' ? (
        <p className={c.before}>{t('frame.notStarted')}</p>
      ) : (
        <QueryView query={query} waiting={<Waiting />}>
          {(state) => (
            <>
              <TopTeams rows={state.rows} rotating={rotating} />
              <div className={c.side}>
                <div className={c.chart}>
                  <Chart
                    game={game}
                    phase={phase}
                    state={state}
                    division={null}
                    own={null}
                    added={null}
                    moment={null}
                    height={chartHeight}
                  />
                </div>
                <Solves state={state} />
              </div>
            </>
          )}
        </QueryView>
      )}
      <nav className={c.controls} aria-label={t('board.hall')}>
        <Link to={paths.scoreboard(game.id)}>
          <IconArrowLeft size={18} stroke={1.6} /> {t('board.title')}
        </Link>
        <button type="button" aria-pressed={rotating} onClick={() => setRotating(!rotating)}>
          {rotating ? <IconPlayerPause size={18} stroke={1.6} /> : <IconRotateClockwise size={18} stroke={1.6} />}{' '}
          {t(rotating ? 'board.stopRotation' : 'board.rotate')}
        </button>
        <button type="button" onClick={() => void document.documentElement.requestFullscreen?.()}>
          <IconMaximize size={18} stroke={1.6} /> {t('board.fullScreen')}
        </button>
      </nav>
    </main>
  )
}

/** The first twenty teams, or each twenty of the first hundred in turn. */
function TopTeams({ rows, rotating }: { readonly rows: readonly BoardRow[]; readonly rotating: boolean }) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const pages = Math.min(pagesMost, Math.max(1, Math.ceil(rows.length / rowsShown)))
  const page = useRotation(rotating ? pages : 1)
  return (
    <table className={c.table} aria-label={t('board.title')}>
      <tbody key={page}>
        {rows.slice(page * rowsShown, (page + 1) * rowsShown).map(({ team, rank, points, solves }) => (
          <tr key={team.participationId}>
            <td className={c.rank}>{rank}</td>
            <th scope="row" className={c.team}>
              <span>
                <Avatar src={team.avatar} name={team.name} id={team.id} size={28} />
                <span className="cut">{team.name}</span>
              </span>
            </th>
            <td className={c.solved}>{t('board.solves', { count: solves.length })}</td>
            <td className={c.points}>{number(points)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The page shown, from 0: the next one every fifteen seconds. */
function useRotation(pages: number): number {
  const [page, setPage] = useState(0)
  useEffect(() => {
    if (pages <= 1) return setPage(0)
    const timer = setInterval(() => setPage((old) => (old + 1) % pages), pageMs)
    return () => clearInterval(timer)
  }, [pages])
  return page < pages ? page : 0
}

const places: Partial<Record<string, Place>> = { FirstBlood: 1, SecondBlood: 2, ThirdBlood: 3 }

function Solves({ state }: { readonly state: Pick<BoardState, 'rows' | 'heads'> }) {
  const { t } = useTranslation()
  const { rows, heads } = state
  const list = useRef<HTMLOListElement>(null)
  const fitting = useFitting(list)
  const solves = useMemo(() => latestSolves(rows, solvesShown), [rows])
  const titles = useMemo(() => new Map(heads.map(({ id, title }) => [id, title])), [heads])
  return (
    <section className={c.solves} aria-label={t('board.latest')}>
      <h2>{t('board.latest')}</h2>
      {solves.length === 0 && <p className={c.before}>{t('board.noSolves')}</p>}
      <ol ref={list}>
        {solves.slice(0, fitting).map(({ team, challengeId, time, type }) => (
          <li key={`${team.participationId} ${challengeId}`} data-blood={places[type]}>
            <span className={c.mark}>
              {places[type] && <BloodMark place={places[type]} label={t(`board.${bloods[places[type]]}`)} />}
            </span>
            <span className="cut">{team.name}</span>
            <span className={`${c.challenge} cut`}>{titles.get(challengeId)}</span>
            <When at={time} style="clock" />
          </li>
        ))}
      </ol>
    </section>
  )
}

/** How many whole lines there is room for; all where the page scrolls. */
function useFitting(list: RefObject<HTMLElement | null>): number {
  const [fitting, setFitting] = useState(solvesShown)
  useEffect(() => {
    const place = list.current?.parentElement
    if (!place) return
    const measure = () => {
      const room = place.getBoundingClientRect().bottom - (list.current?.getBoundingClientRect().top ?? 0)
      const scrolls = matchMedia('(max-width: 1079px)').matches
      setFitting(scrolls ? solvesShown : Math.max(1, Math.floor(room / solveHeight)))
    }
    const watcher = new ResizeObserver(measure)
    watcher.observe(place)
    return () => watcher.disconnect()
  }, [list])
  return fitting
}

const bloods = { 1: 'first', 2: 'second', 3: 'third' } as const
