import { Modal, Skeleton } from '@mantine/core'
import { IconBulb, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { BoardState } from '../api/board.ts'
import { Refusal } from '../api/client.ts'
import { CategorySign, categoryField } from '../ui/category-sign.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { QueryView } from '../ui/states.tsx'
import { toast } from '../ui/toast.tsx'
import { Attachment } from './attachment.tsx'
import c from './challenge-dialog.module.css'
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

/** Reading column, tools column, flag form at the foot; full screen on narrow windows. Title and points are there at once. */
export function ChallengeDialog({ game, phase, card, state, flags, onClose }: Props) {
  const { t } = useTranslation()
  const query = useQuery(challengeQuery(game.id, card.id))
  const hints = useFreshHints(query.data?.hints ?? null)
  const gone = query.error instanceof Refusal && query.error.http === 404
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once when it vanished
  useEffect(() => {
    if (!gone) return
    toast({ id: `gone-${card.id}`, kind: 'wary', title: t('play.gone') })
    onClose()
  }, [gone])

  const tools = query.data && (
    <>
      <Attachment context={query.data.context} />
      <InstancePanel type={query.data.type} />
    </>
  )
  return (
    <Modal.Root opened onClose={onClose} size={1040} centered xOffset={16} yOffset={24}>
      <Modal.Overlay />
      <Modal.Content className={c.content} classNames={{ inner: c.inner }}>
        <div className={c.dialog}>
          <header className={c.head}>
            <span className={c.field} style={categoryField(card.category)}>
              <CategorySign category={card.category} size={36} bare />
            </span>
            <div className={c.words}>
              <Modal.Title className={c.title}>{card.title}</Modal.Title>
              <p className={c.sub}>
                <span>{card.category}</span>
                <b className="num">
                  {card.score} {t('play.pts')}
                </b>
                <span className="num">{t('play.solves', { count: card.solved })}</span>
              </p>
            </div>
            <Modal.CloseButton className={c.close} aria-label={t('ui.close')} icon={<IconX size={20} stroke={1.6} />} />
          </header>
          <div className={c.body}>
            <div className={c.read}>
              <QueryView query={query} waiting={<Lines />}>
                {(challenge) => (
                  <>
                    {challenge.content ? (
                      <Markdown source={challenge.content} />
                    ) : (
                      <p className={c.nothing}>{t('play.noText')}</p>
                    )}
                    {challenge.hints && challenge.hints.length > 0 && (
                      <section className={c.hints} aria-label={t('play.hintsTitle')}>
                        {challenge.hints.map((hint) => (
                          <div key={hint} className={c.hint}>
                            <IconBulb size={20} stroke={1.6} />
                            <div>
                              <Markdown source={hint} inline />
                              {hints.has(hint) && <span className={c.tag}> {t('play.newMark')}</span>}
                            </div>
                          </div>
                        ))}
                      </section>
                    )}
                    <div className={c.narrowTools}>{tools}</div>
                    <div className={c.narrowTools}>
                      <Solvers challengeId={card.id} state={state} own={game.teamName} />
                    </div>
                  </>
                )}
              </QueryView>
            </div>
            <aside className={c.tools}>
              {tools}
              <Solvers challengeId={card.id} state={state} own={game.teamName} />
            </aside>
          </div>
          <FlagForm card={card} flags={flags} scored={phase === 'running'} />
        </div>
      </Modal.Content>
    </Modal.Root>
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
