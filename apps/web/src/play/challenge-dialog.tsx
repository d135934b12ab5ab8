import { ActionIcon, Skeleton } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import type { BoardRow } from '@vexil/core/scoreboard'
import { type ReactNode, useEffect, useRef } from 'react'
import type { BoardState } from '../api/board.ts'
import { Refusal } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { Pennant } from '../ui/base/pennant.tsx'
import { QueryView } from '../ui/base/states.tsx'
import { ChallengeFrame, ChallengeText, isShort } from '../ui/game/challenge-frame.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { Attachment } from './attachment.tsx'
import { cardId } from './challenge-card.tsx'
import c from './challenge-dialog.module.css'
import { FlagForm } from './flag-form.tsx'
import { FlagMoment } from './flag-moment.tsx'
import { InstancePanel } from './instance-panel.tsx'
import { challengeQuery } from './play.queries.ts'
import type { Shown } from './shown.ts'
import { Solvers } from './solvers.tsx'
import { Tries } from './tries.tsx'
import type { Flags } from './use-flags.ts'

interface Props {
  readonly game: DetailedGame
  readonly phase: Phase
  readonly card: Shown
  /** All cards of the game, for their titles. */
  readonly cards: readonly Shown[]
  /** Instances that a team may run at once; 0 = any number. */
  readonly limit: number
  readonly state: BoardState | undefined
  /** The own row of the board. */
  readonly own: BoardRow | undefined
  readonly flags: Flags
  readonly steps: readonly (Shown | null)[]
  /** The challenge from which the steps began. */
  readonly first: number | undefined
  readonly onStep: (id: number) => void
  readonly onClose: () => void
}

/** Title and points show at once, the rest when it is loaded. */
export default function ChallengeDialog({
  game,
  phase,
  card,
  cards,
  limit,
  state,
  own,
  flags,
  steps,
  first,
  onStep,
  onClose,
}: Props) {
  const query = useQuery(challengeQuery(game.id, card.id))
  const fresh = useFreshHints(query.data && (query.data.hints ?? []))
  const queries = useQueryClient()
  const isNotFound = query.error instanceof Refusal && query.error.http === 404
  // The board then lacks the card, shows a message and closes this dialog.
  useEffect(() => {
    if (isNotFound) void queries.invalidateQueries({ queryKey: keys.game(game.id).play })
  }, [isNotFound, queries, game.id])

  return (
    <ChallengeFrame
      category={card.category}
      title={card.title}
      score={card.score}
      facts={<Facts card={card} />}
      steps={<Steps steps={steps} onStep={onStep} />}
      read={
        <QueryView query={query} waiting={<Lines />}>
          {(challenge) => <ChallengeText content={challenge.content} hints={challenge.hints} fresh={fresh} />}
        </QueryView>
      }
      tools={
        query.data && (
          <>
            <Attachment context={query.data.context} />
            <InstancePanel game={game.id} limit={limit} challenge={query.data} cards={cards} />
          </>
        )
      }
      more={
        // Shown together with the text, to avoid a layout shift.
        query.isPending ? null : (
          <>
            <Solvers challengeId={card.id} state={state} own={own?.team.participationId} />
            <Tries
              game={game.id}
              challenge={card.id}
              onReuse={card.isSolved ? undefined : (answer) => flags.write(card.id, answer)}
            />
          </>
        )
      }
      short={query.data !== undefined && isShort(query.data)}
      moment={<FlagMoment card={card} flag={flags.of(card.id)} own={own} />}
      foot={<FlagForm game={game.id} card={card} flags={flags} scored={phase === 'running'} />}
      focusText={card.isSolved}
      focusBack={[card.id, first ?? card.id].map(cardId)}
      onClose={onClose}
    />
  )
}

function Facts({ card: { solved, isSolved, score, nextScore } }: Pick<Props, 'card'>) {
  const { t } = useTranslation()
  return (
    <>
      <span className="num">{t('play.solves', { count: solved })}</span>
      {isSolved ? (
        <span className={`${c.solved} ${c.wide}`}>
          <Pennant size={10} /> {t('play.solved')}
        </span>
      ) : (
        nextScore !== undefined &&
        nextScore !== score && <span className={`num ${c.wide}`}>{t('play.nextSolve', { points: nextScore })}</span>
      )}
    </>
  )
}

function Steps({ steps: [previous, next], onStep }: Pick<Props, 'steps' | 'onStep'>) {
  const { t } = useTranslation()
  const step = (to: Shown | null | undefined, label: string, icon: ReactNode) => (
    <Tooltip label={to?.title} disabled={!to}>
      <ActionIcon aria-label={label} disabled={!to} onClick={() => to && onStep(to.id)}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
  return (
    <>
      {step(previous, t('play.previousChallenge'), <IconChevronLeft size={20} stroke={1.6} />)}
      {step(next, t('play.nextChallenge'), <IconChevronRight size={20} stroke={1.6} />)}
    </>
  )
}

function Lines() {
  return (
    <>
      <Skeleton height={14} mb={12} width="90%" />
      <Skeleton height={14} mb={12} />
      <Skeleton height={14} mb={12} width="70%" />
    </>
  )
}

/** `hints` is undefined until the challenge is loaded. */
function useFreshHints(hints: readonly string[] | undefined): Set<string> {
  const known = useRef(hints)
  known.current ??= hints
  return new Set((hints ?? []).filter((hint) => !known.current?.includes(hint)))
}
