import { IconActivity, IconBell, IconChartBar, IconFlag, IconUsersGroup } from '@tabler/icons-react'
import type { ErrorCode } from '@vexil/contract/errors'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import { type ReactNode, useEffect } from 'react'
import { Link, Navigate, useParams, useSearchParams } from 'react-router'
import { Refusal } from '../api/client.ts'
import { usePhase } from '../api/use-phase.ts'
import { TopLinks } from '../ui/base/links.tsx'
import { Failure } from '../ui/base/states.tsx'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { Countdown } from '../ui/time/countdown.tsx'
import { formatTime, useFormats } from '../ui/time/time.ts'
import { TimeBar } from '../ui/time/time-scale.tsx'
import { TimeTip } from '../ui/time/when.tsx'
import { canPlay, useGame } from './game.ts'
import c from './game-frame.module.css'
import NotFoundScreen from './not-found.screen.tsx'
import { paths } from './paths.ts'
import { ScreenSkeleton } from './screen-skeleton.tsx'
import { reaches, useSession } from './session.ts'
import { InTopBar } from './top-bar-place.tsx'

type GameTab = 'challenges' | 'scoreboard' | 'monitor'

export interface InGame {
  readonly game: DetailedGame
  readonly phase: Phase
  /** The caller may see the challenges. */
  readonly plays: boolean
}

interface Props {
  readonly tab: GameTab
  readonly unread?: number
  readonly children: (inGame: InGame) => ReactNode
}

export function GameFrame(props: Props) {
  const id = Number(useParams().id)
  const query = useGame(id)
  if (query.error instanceof Refusal && query.error.http === 404) return <NotFoundScreen games={paths.games} />
  // The state of one game's screen does not belong to the next one.
  if (query.data) return <Opened key={id} {...props} game={query.data} />
  return query.error ? <Failure error={query.error} onRetry={() => void query.refetch()} /> : <ScreenSkeleton />
}

function Opened({ game, tab, unread, children }: Props & { readonly game: DetailedGame }) {
  const session = useSession()
  const phase = usePhase(game)
  const staff = reaches(session.role, 'Monitor')
  if (session.state === 'unknown') return <ScreenSkeleton />
  const reason = redirectReason(game, phase, tab, staff)
  if (reason) return <Redirected game={game} reason={reason} />
  const plays = canPlay(game, phase)
  return (
    <>
      <Head game={game} phase={phase} tab={tab} plays={plays} staff={staff} />
      {children({ game, phase, plays })}
      {/* The monitor has a separate bar. */}
      {tab !== 'monitor' && <Bottom game={game} tab={tab} plays={plays} staff={staff} unread={unread} />}
    </>
  )
}

type Reason = 'notStarted' | 'banned' | 'ended' | 'notApproved' | 'notJoined'

function redirectReason(game: DetailedGame, phase: Phase, tab: GameTab, staff: boolean): Reason | null {
  if (phase === 'before' && !(tab === 'monitor' && staff)) return 'notStarted'
  if (tab === 'scoreboard' || (tab === 'monitor' && staff)) return null
  if (game.status === 'Suspended' && phase !== 'ended') return 'banned'
  if (phase === 'ended' && !game.practiceMode) return 'ended'
  return tab === 'challenges' ? barred[game.status] : null
}

const barred: Record<DetailedGame['status'], Reason | null> = {
  Accepted: null,
  Suspended: 'banned',
  Unsubmitted: 'notJoined',
  Pending: 'notApproved',
  Rejected: 'notApproved',
}

const refusals: Partial<Record<ErrorCode, Reason>> = {
  'game.not_started': 'notStarted',
  'game.ended': 'ended',
  'participation.suspended': 'banned',
  'participation.not_accepted': 'notApproved',
  'participation.none': 'notJoined',
}

/** Redirects as the local clock would have, when the server's clock disagrees; null for any other error. */
export function redirectFor(game: DetailedGame, error: unknown): ReactNode {
  const reason = error instanceof Refusal && error.code !== undefined ? refusals[error.code] : undefined
  return reason ? <Redirected game={game} reason={reason} /> : null
}

function Redirected({ game, reason }: { readonly game: DetailedGame; readonly reason: Reason }) {
  const { t } = useTranslation()
  useEffect(() => {
    toast({ id: 'led-away', kind: 'wary', title: t(`frame.${reason}`) })
  }, [reason, t])
  return <Navigate to={paths.game(game.id)} replace />
}

interface Part {
  readonly game: DetailedGame
  readonly tab: GameTab
  readonly plays: boolean
  readonly staff: boolean
}

function Head({ game, phase, tab, plays, staff }: Part & { readonly phase: Phase }) {
  const { t } = useTranslation()
  const { language } = useFormats()
  const entry = (name: GameTab, to: string) => ({ to, name: t(`frame.${name}`), current: tab === name })
  const entries = [
    ...(plays ? [entry('challenges', paths.challenges(game.id))] : []),
    entry('scoreboard', paths.scoreboard(game.id)),
    ...(staff ? [entry('monitor', paths.monitor(game.id))] : []),
  ]
  return (
    <>
      <header className={c.head}>
        <h1 className={c.title}>
          <Link to={paths.game(game.id)}>{game.title}</Link>
        </h1>
        <div className={c.tabs}>
          <TopLinks label={game.title} entries={entries} />
        </div>
        <div className={c.clock}>
          {phase === 'ended' ? (
            <b className={c.over}>{t('frame.over')}</b>
          ) : (
            <>
              <TimeTip at={phase === 'before' ? game.start : game.end} className={c.when}>
                {phase === 'before'
                  ? t('frame.starts', { time: formatTime(game.start, 'weekClock', language) })
                  : t('frame.ends', { time: formatTime(game.end, 'weekClock', language) })}
              </TimeTip>
              <span className={c.bar}>
                <TimeBar start={game.start} end={game.end} />
              </span>
              <Countdown to={phase === 'before' ? game.start : game.end} size="head" />
            </>
          )}
        </div>
      </header>
      <InTopBar>
        <h1 className={c.phoneTitle}>
          <Link to={paths.game(game.id)}>{game.title}</Link>
        </h1>
        <span className={c.phoneClock}>
          {phase === 'ended' ? t('frame.over') : <Countdown to={phase === 'before' ? game.start : game.end} size="head" />}
        </span>
      </InTopBar>
    </>
  )
}

/** The parts of a game on phones, the same on every tab; nothing when there is only one. */
function Bottom({ game, tab, plays, staff, unread = 0 }: Part & Pick<Props, 'unread'>) {
  const { t } = useTranslation()
  const [query] = useSearchParams()
  if (!plays && !staff) return null
  const sheet = tab === 'challenges' ? query.get('sheet') : null
  const entry = (name: GameTab | 'notices' | 'team', to: string, Icon: typeof IconFlag) => (
    <Link to={to} aria-current={name === (sheet ?? tab) ? 'page' : undefined}>
      <Icon size={22} stroke={1.6} />
      {t(`frame.${name}`)}
      {name === 'notices' && unread > 0 && <span className={c.badge}>{unread > 99 ? '99+' : unread}</span>}
    </Link>
  )
  return (
    <nav className={c.bottom} data-bottom-bar aria-label={t('frame.parts')}>
      {plays && entry('challenges', paths.challenges(game.id), IconFlag)}
      {entry('scoreboard', paths.scoreboard(game.id), IconChartBar)}
      {staff && entry('monitor', paths.monitor(game.id), IconActivity)}
      {plays && entry('notices', paths.sheet(game.id, 'notices'), IconBell)}
      {plays && entry('team', paths.sheet(game.id, 'team'), IconUsersGroup)}
    </nav>
  )
}
