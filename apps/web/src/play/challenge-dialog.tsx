import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { BoardState } from '../api/board.ts'
import { Refusal } from '../api/client.ts'
import { ChallengeFrame, ChallengeText } from '../ui/challenge-frame.tsx'
import { QueryView } from '../ui/states.tsx'
import { toast } from '../ui/toast.tsx'
import { Attachment } from './attachment.tsx'
import { FlagForm } from './flag-form.tsx'
import { InstancePanel } from './instance-panel.tsx'
import { challengeQuery } from './play.queries.ts'
import type { Shown } from './shown.ts'
import { Solvers } from './solvers.tsx'
import type { Flags } from './use-flags.ts'

interface Props {
  readonly game: DetailedGame
  readonly phase: Phase
  readonly card: Shown
  readonly state: BoardState | undefined
  readonly flags: Flags
  readonly onClose: () => void
}

/** Title and points are there at once, the rest when it has come. */
export function ChallengeDialog({ game, phase, card, state, flags, onClose }: Props) {
  const { t } = useTranslation()
  const query = useQuery(challengeQuery(game.id, card.id))
  const fresh = useFreshHints(query.data?.hints ?? null)
  const gone = query.error instanceof Refusal && query.error.http === 404
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once when it vanished
  useEffect(() => {
    if (!gone) return
    toast({ id: `gone-${card.id}`, kind: 'wary', title: t('play.gone') })
    onClose()
  }, [gone])

  const tools = (
    <>
      {query.data && <Attachment context={query.data.context} />}
      {query.data && <InstancePanel type={query.data.type} />}
      <Solvers challengeId={card.id} state={state} own={game.teamName} />
    </>
  )
  return (
    <ChallengeFrame
      category={card.category}
      title={card.title}
      score={card.score}
      note={t('play.solves', { count: card.solved })}
      read={
        <QueryView query={query} waiting={<Lines />}>
          {(challenge) => <ChallengeText content={challenge.content} hints={challenge.hints} fresh={fresh} />}
        </QueryView>
      }
      tools={tools}
      foot={<FlagForm card={card} flags={flags} scored={phase === 'running'} />}
      onClose={onClose}
    />
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

/** Hints that came while the dialog was open. */
function useFreshHints(hints: readonly string[] | null): Set<string> {
  const known = useRef<readonly string[] | null>(null)
  if (known.current === null && hints !== null) known.current = hints
  return new Set((hints ?? []).filter((hint) => !known.current?.includes(hint)))
}
