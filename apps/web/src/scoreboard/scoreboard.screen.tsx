import { useSearchParams } from 'react-router'
import { useBoard } from '../api/board.ts'
import { useBoardStart } from '../api/board-start.ts'
import { GameFrame, type InGame, redirectFor } from '../shell/game-frame.tsx'
import { useTitle } from '../shell/site.ts'
import { QueryView, Reconnecting } from '../ui/base/states.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { BoardSkeleton } from './board-skeleton.tsx'
import { BoardView } from './board-view.tsx'

export default function ScoreboardScreen() {
  return <GameFrame tab="scoreboard">{(inGame) => <Board {...inGame} />}</GameFrame>
}

function Board({ game, phase }: InGame) {
  const { t } = useTranslation()
  useTitle(`${t('board.title')} - ${game.title}`)
  const [address] = useSearchParams()
  const { start, ready } = useBoardStart(game.id, {
    enabled: phase !== 'before' && !address.has('at'),
    teamCount: game.teamCount,
    teams: game.status === 'Accepted' ? Object.keys(game.registered).map(Number) : [],
  })
  const query = useBoard(game.id, phase !== 'before', ready)
  const redirect = redirectFor(game, query.error)
  if (redirect) return redirect
  return (
    <QueryView query={{ ...query, data: query.data ?? (query.error ? undefined : start) }} waiting={<BoardSkeleton />}>
      {(state) => <BoardView game={game} phase={phase} state={state} badge={query.live === 'reconnecting' && <Reconnecting />} />}
    </QueryView>
  )
}
