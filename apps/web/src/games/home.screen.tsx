import { useQuery } from '@tanstack/react-query'
import { allGamesQuery } from '../api/shared.queries.ts'
import { usePhaseClock } from '../api/use-phase.ts'
import { Footer } from '../shell/footer.tsx'
import { QueryView } from '../ui/base/states.tsx'
import { orderGames } from './game-order.ts'
import { latestPostsQuery } from './games.queries.ts'
import c from './home.module.css'
import { HomeEmpty } from './home-empty.tsx'
import { HomeHero } from './home-hero.tsx'
import { NextGames } from './next-games.tsx'
import { PostColumn } from './post-column.tsx'
import { HeroSkeleton, PostsSkeleton } from './skeletons.tsx'

export default function HomeScreen() {
  const games = useQuery({ ...allGamesQuery, refetchInterval: 300_000 })
  const posts = useQuery({ ...latestPostsQuery, refetchInterval: 300_000 })
  const now = usePhaseClock(games.data ?? [])
  const nothing = games.data?.length === 0 && posts.data?.length === 0
  return (
    <div className={c.page}>
      {nothing ? (
        <HomeEmpty />
      ) : (
        <div className={c.grid}>
          <div>
            <QueryView query={games} waiting={<HeroSkeleton />}>
              {(all) => {
                const [first, ...rest] = orderGames(all, now)
                if (!first) return <HomeEmpty part="games" />
                return (
                  <>
                    <HomeHero key={first.id} game={first} />
                    <NextGames games={rest.slice(0, 3)} more={all.length > 4} />
                  </>
                )
              }}
            </QueryView>
          </div>
          <QueryView query={posts} waiting={<PostsSkeleton />}>
            {(latest) => <PostColumn posts={latest} />}
          </QueryView>
        </div>
      )}
      <Footer />
    </div>
  )
}
