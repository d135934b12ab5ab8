import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { BottomButton, GameFrame, type InGame } from '../shell/game-frame.tsx'
import { useTitle } from '../shell/site.ts'
import { QueryView } from '../ui/states.tsx'
import { useDetails, usePlayLive } from './play.queries.ts'
import { PlayBoard } from './play-board.tsx'
import { PlaySkeleton } from './play-skeleton.tsx'
import type { Sheet } from './shown.ts'
import { useNoticeToasts } from './use-notice-toasts.ts'

export default function ChallengesScreen() {
  const { t } = useTranslation()
  const [sheet, setSheet] = useState<Sheet>(null)
  const [unread, setUnread] = useState(0)
  const bottom = (
    <>
      <BottomButton kind="notices" count={unread} label={t('frame.notices')} onClick={() => setSheet('notices')} />
      <BottomButton kind="team" label={t('frame.team')} onClick={() => setSheet('team')} />
    </>
  )
  return (
    <GameFrame tab="challenges" bottom={bottom}>
      {(inGame) => <Play {...inGame} sheet={sheet} onSheet={setSheet} unread={unread} onUnread={setUnread} />}
    </GameFrame>
  )
}

interface Props extends InGame {
  readonly sheet: Sheet
  readonly onSheet: (sheet: Sheet) => void
  readonly unread: number
  readonly onUnread: (count: number) => void
}

function Play({ game, phase, sheet, onSheet, unread, onUnread }: Props) {
  const { t } = useTranslation()
  useTitle(`${t('frame.challenges')} - ${game.title}`, unread)
  const live = usePlayLive(game.id, useNoticeToasts(unread, onUnread))
  const details = useDetails(game.id, phase === 'running', live)
  return (
    <QueryView query={details} waiting={<PlaySkeleton />}>
      {(data) => <PlayBoard game={game} phase={phase} details={data} live={live} sheet={sheet} onSheet={onSheet} />}
    </QueryView>
  )
}
