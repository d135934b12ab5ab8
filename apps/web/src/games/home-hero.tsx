import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { BasicGame } from '@vexil/contract/games'
import { Link } from 'react-router'
import { gameQuery } from '../api/shared.queries.ts'
import { usePhase } from '../api/use-phase.ts'
import { paths } from '../shell/paths.ts'
import { useSession } from '../shell/session.ts'
import { Hoist } from '../ui/base/hoist.tsx'
import { PhaseWord } from '../ui/game/phase-word.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { GameClock } from './game-clock.tsx'
import c from './hero.module.css'
import { HomeBoard } from './home-board.tsx'
import { HomeStanding } from './home-standing.tsx'
import { otherButtons } from './main-button.ts'

export function HomeHero({ game }: { readonly game: BasicGame }) {
  const { t } = useTranslation()
  const phase = usePhase(game)
  const session = useSession()
  const { data: detail, isPending } = useQuery(gameQuery(game.id))
  const standing = {
    phase,
    practice: detail?.practiceMode ?? false,
    signedIn: session.state === 'member',
    hasTeam: true,
    status: detail?.status ?? 'Unsubmitted',
  } as const
  const { challenges, scoreboard } = otherButtons(standing)
  const joined = standing.status === 'Accepted' || standing.status === 'Pending' || standing.status === 'Suspended'
  const open = phase !== 'ended' || standing.practice
  return (
    <>
      <section className={c.hero} data-waiting={isPending || undefined} data-poster={game.poster ? true : undefined}>
        <Hoist title={game.title} id={game.id} poster={game.poster} />
        <div className={c.words}>
          <PhaseWord phase={phase} />
          <h1 className={c.title}>
            <Link to={paths.game(game.id)}>{game.title}</Link>
          </h1>
          {game.summary && <p className={c.summary}>{game.summary}</p>}
          <GameClock start={game.start} end={game.end} phase={phase} />
          <div className={c.acts}>
            {challenges ? (
              <Button component={Link} to={paths.challenges(game.id)} size="lg">
                {phase === 'ended' ? t('games.practise') : t('games.openChallenges')}
              </Button>
            ) : (
              <Button component={Link} to={paths.game(game.id)} size="lg">
                {open && !joined ? t('games.toJoin') : t('games.toGame')}
              </Button>
            )}
            {scoreboard && (
              <Link className="link" to={paths.scoreboard(game.id)}>
                {t('games.scoreboard')}
              </Link>
            )}
          </div>
        </div>
      </section>
      {detail && challenges && <HomeStanding game={detail} />}
      {phase === 'running' && (
        <div className={c.below}>
          <HomeBoard game={game.id} />
        </div>
      )}
    </>
  )
}
