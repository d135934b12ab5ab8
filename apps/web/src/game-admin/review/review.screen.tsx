import { useQuery } from '@tanstack/react-query'
import type { GameInfo } from '@vexil/contract/games'
import { QueryView } from '../../ui/base/states.tsx'
import { participationsQuery } from '../game-admin.queries.ts'
import { Column, GameAdminFrame } from '../game-admin-frame.tsx'
import { ReviewList } from './review-list.tsx'

export default function ReviewScreen() {
  return <GameAdminFrame tab="Review">{(game) => <Teams game={game} />}</GameAdminFrame>
}

/** Polled in addition to the live channel, so that no request is missed. */
function Teams({ game }: { readonly game: GameInfo }) {
  const query = useQuery({ ...participationsQuery(game.id), refetchInterval: 60_000 })
  return (
    <Column>
      <QueryView query={query}>{(teams) => <ReviewList game={game} teams={teams} />}</QueryView>
    </Column>
  )
}
