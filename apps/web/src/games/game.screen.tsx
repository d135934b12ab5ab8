import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { Refusal } from '../api/client.ts'
import { pollWithout } from '../api/live.ts'
import { gameQuery } from '../api/shared.queries.ts'
import { Footer } from '../shell/footer.tsx'
import NotFoundScreen from '../shell/not-found.screen.tsx'
import { paths } from '../shell/paths.ts'
import { useSession } from '../shell/session.ts'
import { useTitle } from '../shell/site.ts'
import { QueryView } from '../ui/base/states.tsx'
import c from './game-page.module.css'
import { GamePage } from './game-page.tsx'
import { useGamePushes } from './games.queries.ts'
import { HeroSkeleton } from './skeletons.tsx'

const isNotFound = (error: unknown) => error instanceof Refusal && error.http === 404

export default function GameScreen() {
  const id = Number(useParams().id)
  const member = useSession().state === 'member'
  // Listens before the first request: earlier answers would be requested again.
  const live = useGamePushes(id, member)
  const game = useQuery({
    ...gameQuery(id),
    refetchInterval: ({ state }) => member && !isNotFound(state.error) && pollWithout(live),
    refetchOnMount: 'always',
  })
  useTitle(game.data?.title)
  if (isNotFound(game.error)) return <NotFoundScreen games={paths.games} />
  return (
    <>
      <QueryView
        query={game}
        waiting={
          <div className={c.page}>
            <HeroSkeleton />
          </div>
        }
      >
        {(detail) => <GamePage key={id} game={detail} />}
      </QueryView>
      <Footer width={848} />
    </>
  )
}
