import { useQuery } from '@tanstack/react-query'
import type { BasicGame } from '@vexil/contract/games'
import { Link } from 'react-router'
import { myGamesQuery } from '../api/shared.queries.ts'
import { usePhaseClock } from '../api/use-phase.ts'
import { paths } from '../shell/paths.ts'
import { useSession } from '../shell/session.ts'
import { HoistPair } from '../ui/base/hoist.tsx'
import { PartHead } from '../ui/base/page.tsx'
import { PhaseWord } from '../ui/game/phase-word.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { hoursBetween, useFormats } from '../ui/time/time.ts'
import { TimeTip } from '../ui/time/when.tsx'
import { phaseAt } from './game-order.ts'
import c from './home.module.css'
import { StatusWord } from './status.tsx'

interface Props {
  readonly games: readonly BasicGame[]
  readonly more: boolean
}

export function NextGames({ games, more }: Props) {
  const { t } = useTranslation()
  const { time } = useFormats()
  const now = usePhaseClock(games)
  const session = useSession()
  const { data: mine } = useQuery({ ...myGamesQuery, enabled: session.state === 'member' })
  if (games.length === 0) return null
  const ended = games.filter((game) => phaseAt(game, now) === 'ended').length
  const title = ended === games.length ? 'games.earlier' : ended > 0 ? 'games.title' : 'games.next'
  return (
    <section className={c.next}>
      <PartHead title={t(title)}>
        <Link className="link" to={paths.games}>
          {more ? t('games.all') : t('games.list')}
        </Link>
      </PartHead>
      <ul>
        {games.map((game) => {
          const phase = phaseAt(game, now)
          const status = mine?.find(({ gameId }) => gameId === game.id)?.status
          const hours = t('games.hours', { count: hoursBetween(game.start, game.end) })
          return (
            <li key={game.id} className={c.row}>
              <HoistPair title={game.title} id={game.id} />
              <Link className={`${c.name} cut`} to={paths.game(game.id)}>
                {game.title}
              </Link>
              <TimeTip at={phase === 'before' ? game.start : game.end} className={`${c.at} dim`}>
                {phase === 'before'
                  ? t('games.dateAndHours', { time: time(game.start), hours })
                  : t(`games.short.${phase}`, { time: time(game.end) })}
              </TimeTip>
              <span className={c.end}>
                {status && status !== 'Unsubmitted' ? (
                  <StatusWord status={status} />
                ) : phase === 'before' ? (
                  <span className="link">{t('games.toJoin')}</span>
                ) : (
                  <PhaseWord phase={phase} />
                )}
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
