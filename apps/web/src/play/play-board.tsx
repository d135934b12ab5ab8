import { useMediaQuery } from '@mantine/hooks'
import type { DetailedGame } from '@vexil/contract/games'
import type { GameDetail } from '@vexil/contract/scoreboard'
import type { Phase } from '@vexil/core/phases'
import { useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useBoard } from '../api/board.ts'
import type { LiveState } from '../api/live.ts'
import { withParts } from '../shell/paths.ts'
import { lazyPart } from '../ui/base/lazy-part.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { CardGrid } from './card-grid.tsx'
import { choose, useChoice } from './choice.ts'
import { FilterColumn } from './filter-column.tsx'
import { InstanceTray } from './instance-tray.tsx'
import { NoticePanel } from './notice-panel.tsx'
import { OwnStrip, TeamFacts } from './own-strip.tsx'
import c from './play.module.css'
import { useShownCards } from './shown.ts'
import { useFlags } from './use-flags.ts'
import { useSeen } from './use-seen.ts'

const ChallengeDialog = lazyPart(() => import('./challenge-dialog.tsx'))

interface Props {
  readonly game: DetailedGame
  readonly phase: Phase
  readonly details: GameDetail
  readonly live: LiveState
}

export function PlayBoard({ game, phase, details, live }: Props) {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const { data: state } = useBoard(game.id, true)
  const flags = useFlags(game.id)
  const seen = useSeen(game.id)

  const rows = state?.rows
  const own = useMemo(
    () => rows?.find(({ team }) => team.participationId === details.participationId),
    [rows, details.participationId],
  )
  const shown = useShownCards({ game, details, state, own, flags, seen })

  const requestedId = query.get('c')
  const opened = requestedId === null ? undefined : shown.find(({ id }) => String(id) === requestedId)
  const change = (parts: Readonly<Record<'c' | 'sheet', string | null>>, replace = false) =>
    setQuery((old) => withParts(old, parts), { replace })
  const [first, setFirst] = useState<number>()
  const open = (id: number | null) => {
    setFirst(undefined)
    change({ c: id === null ? null : String(id), sheet: null })
  }
  const sheet = query.get('sheet')
  const close = () => open(null)
  useMarkSeen(seen.mark, opened?.id)
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once per address
  useEffect(() => {
    if (requestedId === null || opened) return
    toast({ id: 'parameter', kind: 'wary', title: t('play.gone') })
    close()
  }, [requestedId, opened === undefined])

  const choice = useChoice(shown)
  const list = choose(shown, choice, opened?.id)
  // Teams on the board: a team that waits for a review has no rank.
  const teams = rows?.length ?? game.teamCount
  const facts = { game, phase, details, own, teams, total: shown.length, solved: shown.filter((card) => card.isSolved).length }
  // Rendered once only: two trays would count and remind twice.
  const wide = useMediaQuery('(min-width: 1080px)', true)
  const tray = <InstanceTray game={game.id} limit={details.containerCountLimit} cards={shown} live={live} onOpen={open} />
  return (
    <>
      <OwnStrip {...facts} />
      {phase === 'ended' && <p className={c.practice}>{t('play.practice')}</p>}
      <div className={c.board}>
        <FilterColumn cards={shown} selected={choice.category} wide={wide} />
        <div className={c.middle} id="cards" role="tabpanel" aria-label={choice.category ?? t('play.all')}>
          {!wide && tray}
          <CardGrid choice={choice} cards={shown} list={list} ended={phase === 'ended'} onOpen={open} />
        </div>
        <aside className={c.side} aria-label={t('frame.notices')}>
          {wide && tray}
          <NoticePanel game={game} cards={shown} live={live} onOpen={open} />
        </aside>
      </div>
      {opened && (
        <ChallengeDialog
          key={opened.id}
          wanted
          game={game}
          phase={phase}
          card={opened}
          cards={shown}
          limit={details.containerCountLimit}
          state={state}
          own={own}
          flags={flags}
          steps={[-1, 1].map((step) => list[list.indexOf(opened) + step] ?? null)}
          // The back button closes the dialog, however many challenges were stepped through.
          onStep={(id) => {
            setFirst(first ?? opened.id)
            change({ c: String(id), sheet: null }, true)
          }}
          first={first}
          onClose={close}
        />
      )}
      <Dialog opened={sheet === 'notices'} onClose={close} title={t('frame.notices')} tall>
        <NoticePanel game={game} cards={shown} live={live} onOpen={open} bare />
      </Dialog>
      <Dialog opened={sheet === 'team'} onClose={close} title={game.teamName ?? t('frame.team')} tall>
        <TeamFacts {...facts} />
      </Dialog>
    </>
  )
}

function useMarkSeen(mark: (id: number) => void, id: number | undefined): void {
  useEffect(() => {
    if (id !== undefined) mark(id)
  }, [id, mark])
}
