import { useMediaQuery } from '@mantine/hooks'
import type { DetailedGame } from '@vexil/contract/games'
import type { GameDetail } from '@vexil/contract/scoreboard'
import type { Phase } from '@vexil/core/phases'
import { useEffect, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { useBoard } from '../api/board.ts'
import type { LiveState } from '../api/live.ts'
import { withParts } from '../shell/paths.ts'
import { Dialog } from '../ui/dialog.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { useTranslation } from '../ui/texts.tsx'
import { toast } from '../ui/toast.tsx'
import { CardGrid } from './card-grid.tsx'
import { choose, useChoice } from './choice.ts'
import { FilterColumn } from './filter-column.tsx'
import { InstanceTray } from './instance-tray.tsx'
import { NoticePanel } from './notice-panel.tsx'
import { OwnStrip, TeamFacts } from './own-strip.tsx'
import c from './play.module.css'
import type { Shown } from './shown.ts'
import { useFlags } from './use-flags.ts'
import { useSeen } from './use-seen.ts'

const ChallengeDialog = lazyPart(() => import('./challenge-dialog.tsx'))

interface Props {
  readonly game: DetailedGame
  readonly phase: Phase
  readonly details: GameDetail
  readonly live: LiveState
}

const places = { FirstBlood: 1, SecondBlood: 2, ThirdBlood: 3 } as const

/** Filter, cards, own strip and notices; the open challenge is in the address (AB-7). */
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
  const shown = useMemo(() => {
    const columns = new Map(state?.columns.map((column) => [column.id, column]) ?? [])
    const solves = new Map(
      details.rank.solvedChallenges.map(({ id, type, userName, time, score }) => [
        id,
        { type, by: userName, at: Date.parse(time), points: score },
      ]),
    )
    for (const { challengeId, type, userName, time, points } of own?.solves ?? []) {
      solves.set(challengeId, { type, by: userName, at: time, points })
    }
    return Object.values(details.challenges)
      .flatMap((cards) => cards ?? [])
      .map((card): Shown => {
        const column = columns.get(card.id)
        const solve = solves.get(card.id)
        const practised = details.practiceSolves.includes(card.id)
        const onBoard = own?.solves.some(({ challengeId }) => challengeId === card.id) ?? false
        return {
          ...card,
          ...(column && {
            score: column.value,
            solved: column.solved,
            // What the next solve is worth was told for another number of solves.
            ...(column.solved !== card.solved && { nextScore: undefined }),
            bloods: column.bloods.map(({ team, time }) => ({
              id: team.id,
              name: team.name,
              avatar: team.avatar,
              submitTimeUtc: new Date(time).toISOString(),
            })),
          }),
          isSolved: onBoard || solve !== undefined || practised || flags.of(card.id).right,
          practised: practised && !onBoard,
          ownPlace: places[solve?.type as keyof typeof places] ?? null,
          own: solve ?? null,
          fresh: card.enabledAt != null && Date.parse(card.enabledAt) > Date.parse(game.start) && !seen.has(card.id),
        }
      })
  }, [details, state, own, flags.of, seen.has, game.start])

  const asked = query.get('c')
  const opened = asked === null ? undefined : shown.find(({ id }) => String(id) === asked)
  const change = (parts: Readonly<Record<'c' | 'sheet', string | null>>, replace = false) =>
    setQuery((old) => withParts(old, parts), { replace })
  const open = (id: number | null) => change({ c: id === null ? null : String(id), sheet: null })
  const sheet = query.get('sheet')
  const closeSheet = () => change({ c: null, sheet: null })
  const markSeen = seen.mark
  const openedId = opened?.id
  useEffect(() => {
    if (openedId !== undefined) markSeen(openedId)
  }, [openedId, markSeen])
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once per address
  useEffect(() => {
    if (asked === null || opened) return
    toast({ id: 'parameter', kind: 'wary', title: t('play.gone') })
    open(null)
  }, [asked, opened === undefined])

  const choice = useChoice()
  const list = choose(shown, choice, opened?.id)
  // Those on the board: who waits for a review has no rank.
  const teams = rows?.length ?? game.teamCount
  const facts = { game, phase, details, own, teams, total: shown.length, solved: shown.filter((card) => card.isSolved).length }
  // One place for each width: in both it would count and remind twice.
  const wide = useMediaQuery('(min-width: 1080px)', true)
  const tray = <InstanceTray game={game.id} limit={details.containerCountLimit} cards={shown} live={live} onOpen={open} />
  return (
    <>
      <OwnStrip {...facts} />
      {phase === 'ended' && <p className={c.practice}>{t('play.practice')}</p>}
      <div className={c.board}>
        <FilterColumn cards={shown} />
        <div className={c.middle}>
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
          onLost={() => open(null)}
          game={game}
          phase={phase}
          card={opened}
          cards={shown}
          limit={details.containerCountLimit}
          state={state}
          flags={flags}
          steps={[-1, 1].map((step) => list[list.indexOf(opened) + step] ?? null)}
          // The back button closes the dialog, however many were leafed through.
          onStep={(id) => change({ c: String(id), sheet: null }, true)}
          onClose={() => open(null)}
        />
      )}
      <Dialog opened={sheet === 'notices'} onClose={closeSheet} title={t('frame.notices')} tall>
        <NoticePanel game={game} cards={shown} live={live} onOpen={open} bare />
      </Dialog>
      <Dialog opened={sheet === 'team'} onClose={closeSheet} title={game.teamName ?? t('frame.team')} tall>
        <TeamFacts {...facts} />
      </Dialog>
    </>
  )
}
