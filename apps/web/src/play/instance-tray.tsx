import { ActionIcon } from '@mantine/core'
import { IconClockPlus, IconTrash, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { MyInstance } from '@vexil/contract/instances'
import { containerLife } from '@vexil/core/limits'
import { useEffect, useRef } from 'react'
import { type LiveState, pollWithout } from '../api/live.ts'
import { useSite } from '../shell/site.ts'
import { CategorySign } from '../ui/game/category-sign.tsx'
import { ConfirmPopover } from '../ui/overlays/confirm-popover.tsx'
import { toast } from '../ui/overlays/toast.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { Countdown } from '../ui/time/countdown.tsx'
import c from './instance-tray.module.css'
import { instancesQuery, useInstanceActions } from './instances.queries.ts'
import type { Shown } from './shown.ts'
import { useStartText } from './start-progress.tsx'
import { useMinutes } from './use-minutes.ts'
import { useTimeLeft } from './use-time-left.ts'

interface Props {
  readonly game: number
  /** Instances that a team may run at once; 0 = any number. */
  readonly limit: number
  readonly cards: readonly Shown[]
  readonly live: LiveState
  readonly onOpen: (challenge: number) => void
}

export function InstanceTray({ game, limit, cards, live, onOpen }: Props) {
  const { t } = useTranslation()
  const { containers = 'None' } = useSite()
  const {
    data = [],
    isLoading,
    failureCount,
  } = useQuery({
    ...instancesQuery(game),
    enabled: containers !== 'None',
    refetchInterval: pollWithout(live),
  })
  if (isLoading && failureCount === 0) return <section data-waiting />
  if (data.length === 0) return null
  return (
    <section className={c.tray} aria-label={t('play.instances')}>
      <header className={c.head}>
        <h2>{t('play.instances')}</h2>
        {limit > 0 && <span className="num">{t('play.trayOf', { count: data.length, limit })}</span>}
      </header>
      <ul className={c.list}>
        {data.map((instance) => (
          <Entry
            key={`${instance.challengeId} ${instance.startedAt}`}
            game={game}
            instance={instance}
            card={cards.find(({ id }) => id === instance.challengeId)}
            onOpen={onOpen}
          />
        ))}
      </ul>
    </section>
  )
}

interface EntryProps {
  readonly game: number
  readonly instance: MyInstance
  /** Undefined: the challenge is no longer on the board. */
  readonly card: Shown | undefined
  readonly onOpen: (challenge: number) => void
}

function Entry({ game, instance: { challengeId, expectStopAt, status, start }, card, onOpen }: EntryProps) {
  const { t } = useTranslation()
  const { extend, destroy, cancel, refresh } = useInstanceActions(game, challengeId)
  const startText = useStartText()
  const { extensionDuration = containerLife.extensionDuration } = useSite()
  const minutes = useMinutes()
  const title = card?.title ?? `#${challengeId}`
  const running = status === 'Running'
  const { soon, over } = useTimeLeft(expectStopAt)
  useReminder(running && soon && !over, title, challengeId)
  const extendLabel = t('play.extendOf', { title, time: minutes(extensionDuration) })
  return (
    <li className={soon && running ? `${c.entry} ${c.soon}` : c.entry}>
      <button type="button" className={c.open} disabled={!card} onClick={() => onOpen(challengeId)}>
        {card && <CategorySign category={card.category} size={16} />}
        <span className="cut">{title}</span>
      </button>
      <span className={c.left}>
        {running ? (
          <Countdown key={expectStopAt} to={expectStopAt} onEnd={refresh} />
        ) : (
          startText(start ?? { phase: 'waiting', place: null, percent: null })
        )}
      </span>
      <span className={c.tools}>
        {running && soon && (
          <Tooltip label={extendLabel}>
            <ActionIcon
              size="sm"
              aria-label={extendLabel}
              loading={extend.busy}
              disabled={over || extend.wait > 0}
              onClick={() => void extend.start()}
            >
              <IconClockPlus size={16} stroke={1.8} />
            </ActionIcon>
          </Tooltip>
        )}
        {running ? (
          <ConfirmPopover
            title={t('play.destroyAsk')}
            text={t('play.destroyText')}
            confirm={t('play.destroy')}
            harmful
            onConfirm={() => void destroy.start()}
          >
            {(open) => (
              <ActionIcon
                size="sm"
                aria-label={t('play.destroyOf', { title })}
                loading={destroy.busy}
                disabled={destroy.wait > 0}
                onClick={open}
              >
                <IconTrash size={16} stroke={1.6} />
              </ActionIcon>
            )}
          </ConfirmPopover>
        ) : (
          <Tooltip label={t('play.cancelStartOf', { title })}>
            <ActionIcon
              size="sm"
              aria-label={t('play.cancelStartOf', { title })}
              loading={cancel.busy}
              disabled={cancel.wait > 0}
              onClick={() => void cancel.start()}
            >
              <IconX size={16} stroke={1.8} />
            </ActionIcon>
          </Tooltip>
        )}
      </span>
    </li>
  )
}

/** Shows a toast once when the extension window begins, not when it was already open. */
function useReminder(soon: boolean, title: string, challenge: number): void {
  const { t } = useTranslation()
  const before = useRef(soon)
  useEffect(() => {
    if (soon && !before.current)
      toast({ id: `instance-soon-${challenge}`, kind: 'wary', title: t('play.instanceSoon', { title }) })
    before.current = soon
  }, [soon, title, challenge, t])
}
