import { useQuery } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction, useState } from 'react'
import { GameFrame, type InGame, redirectFor } from '../shell/game-frame.tsx'
import { useSite, useTitle } from '../shell/site.ts'
import { QueryView } from '../ui/base/states.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { instancesQuery } from './instances.queries.ts'
import { useDetails, usePlayLive } from './play.queries.ts'
import { PlayBoard } from './play-board.tsx'
import { PlaySkeleton } from './play-skeleton.tsx'
import { useNoticeToasts } from './use-notice-toasts.ts'

export default function ChallengesScreen() {
  const [unread, setUnread] = useState(0)
  return (
    <GameFrame tab="challenges" unread={unread}>
      {(inGame) => <Play {...inGame} unread={unread} setUnread={setUnread} />}
    </GameFrame>
  )
}

interface Props extends InGame {
  readonly unread: number
  readonly setUnread: Dispatch<SetStateAction<number>>
}

function Play({ game, phase, unread, setUnread }: Props) {
  const { t } = useTranslation()
  useTitle(`${t('frame.challenges')} - ${game.title}`, unread)
  const live = usePlayLive(game.id, useNoticeToasts(unread, setUnread))
  const details = useDetails(game.id, phase === 'running', live)
  const { containers = 'None' } = useSite()
  // Requested together: running instances are above the cards on phones.
  useQuery({ ...instancesQuery(game.id), enabled: containers !== 'None' })
  const redirect = redirectFor(game, details.error)
  if (redirect) return redirect
  return (
    <QueryView query={details} waiting={<PlaySkeleton />}>
      {(data) => <PlayBoard game={game} phase={phase} details={data} live={live} />}
    </QueryView>
  )
}
