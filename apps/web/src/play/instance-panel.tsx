import { Button, Loader } from '@mantine/core'
import { IconClockPlus, IconPlayerPlay, IconTerminal2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Entry } from '@vexil/contract/challenges'
import type { ChallengeDetail } from '@vexil/contract/scoreboard'
import { containerLife } from '@vexil/core/limits'
import { hasContainer } from '@vexil/core/vocabulary'
import { useState } from 'react'
import { useSite } from '../shell/site.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import type { Action } from '../ui/base/use-action.ts'
import { ChallengePart } from '../ui/game/challenge-frame.tsx'
import { EntryCommands, EntryField, PageLink } from '../ui/game/entry-field.tsx'
import { entryLinks } from '../ui/game/entry-links.ts'
import { NamedEntries } from '../ui/game/entry-list.tsx'
import { TerminalDialog } from '../ui/game/terminal-dialog.tsx'
import { ConfirmPopover } from '../ui/overlays/confirm-popover.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { Countdown } from '../ui/time/countdown.tsx'
import c from './instance-panel.module.css'
import { type InstanceActions, instancesQuery, useInstanceActions } from './instances.queries.ts'
import type { Shown } from './shown.ts'
import { useMinutes } from './use-minutes.ts'
import { useTimeLeft } from './use-time-left.ts'

interface Props {
  readonly game: number
  readonly limit: number
  readonly challenge: ChallengeDetail
  readonly cards: readonly Shown[]
  readonly onRefresh: () => void
}

export function InstancePanel({ game, limit, challenge, cards, onRefresh }: Props) {
  const { t } = useTranslation()
  const { containers, known } = useSite()
  const actions = useInstanceActions(game, challenge.id)
  if (!hasContainer(challenge.type)) return null
  const { instanceEntry: entry, tlsEntry, closeTime, readiness } = challenge.context
  if (known && containers === 'None')
    return (
      <ChallengePart name={t('play.instance')}>
        <p className={c.note}>{t('play.noContainers')}</p>
      </ChallengePart>
    )
  return (
    <ChallengePart
      name={t('play.instance')}
      {...(readiness === 'waiting'
        ? { count: t('play.starting') }
        : entry && { count: t('play.instanceRunning'), ...(readiness === 'late' ? {} : { tone: 'ok' }) })}
    >
      {entry && closeTime ? (
        <Running
          title={challenge.title}
          entry={entry}
          tls={tlsEntry}
          entries={challenge.context.entries}
          closeTime={closeTime}
          isLate={readiness === 'late'}
          actions={actions}
          onEnd={onRefresh}
        />
      ) : readiness === 'waiting' ? (
        <Starting destroy={actions.destroy} />
      ) : (
        <None game={game} limit={limit} challenge={challenge} cards={cards} actions={actions} />
      )}
    </ChallengePart>
  )
}

interface RunningProps {
  readonly title: string
  readonly entry: string
  /** `host:port` for TLS connections. */
  readonly tls: string | null
  readonly entries: readonly Entry[]
  readonly closeTime: string
  /** Its service has not answered in time. */
  readonly isLate: boolean
  readonly actions: InstanceActions
  readonly onEnd: () => void
}

function Running({ title, entry, tls, entries, closeTime, isLate, actions, onEnd }: RunningProps) {
  const { t } = useTranslation()
  const {
    renewalWindow = containerLife.renewalWindow,
    extensionDuration = containerLife.extensionDuration,
    destroyOnSolve,
    instanceHosts,
  } = useSite()
  const minutes = useMinutes()
  const { soon, over } = useTimeLeft(closeTime)
  const { shown, opens, page, commands, proxied } = entryLinks(entry, instanceHosts, { tls })
  const [terminal, setTerminal] = useState(false)
  return (
    <div className={c.running}>
      {isLate && (
        <p className={c.wary} role="status">
          {t('play.late')}
        </p>
      )}
      <p className={soon ? `${c.left} ${c.soon}` : c.left}>
        <span className={c.clock}>
          <Countdown key={closeTime} to={closeTime} onEnd={onEnd} />
        </span>
        <span>{soon ? t('play.extendNow') : t('play.extendLater', { time: minutes(renewalWindow) })}</span>
      </p>
      <EntryField value={shown} opens={opens} label={t('play.entry')} />
      {proxied && (
        <>
          <div className={c.ways}>
            {page && <PageLink page={page} />}
            <Button
              variant="default"
              size="sm"
              leftSection={<IconTerminal2 size={16} stroke={1.8} />}
              onClick={() => setTerminal(true)}
            >
              {t('play.terminal')}
            </Button>
          </div>
          <p className={`${c.note} ${c.wide}`}>{t('play.proxied')}</p>
        </>
      )}
      <div className={proxied ? c.wide : undefined}>
        <EntryCommands commands={commands} />
      </div>
      <NamedEntries title={title} entries={entries} hosts={instanceHosts} />
      {terminal && <TerminalDialog title={title} url={shown} onClose={() => setTerminal(false)} />}
      {destroyOnSolve && <p className={c.note}>{t('play.endsOnSolve')}</p>}
      <div className={c.buttons}>
        <ActionButton
          action={actions.extend}
          variant="default"
          size="sm"
          leftSection={<IconClockPlus size={16} stroke={1.8} />}
          disabled={!soon || over}
          onClick={() => void actions.extend.start()}
        >
          {t('play.extendBy', { time: minutes(extensionDuration) })}
        </ActionButton>
        <DestroyButton destroy={actions.destroy} size="sm" />
      </div>
    </div>
  )
}

/** The instance has no address until its service answers. */
function Starting({ destroy }: { readonly destroy: Action<void> }) {
  const { t } = useTranslation()
  return (
    <div className={c.running}>
      <p className={c.awaited} role="status">
        <Loader size={16} aria-hidden />
        {t('play.awaited')}
      </p>
      <div className={c.buttons}>
        <DestroyButton destroy={destroy} size="sm" />
      </div>
    </div>
  )
}

interface NoneProps {
  readonly game: number
  readonly limit: number
  readonly challenge: ChallengeDetail
  readonly cards: readonly Shown[]
  readonly actions: InstanceActions
}

/** Ends of an instance that are no fault. */
const planned: ReadonlySet<string> = new Set(['expiry', 'limit', 'administrator', 'solve'])

/** Shows before a start why the last instance ended, which instances run and which would be destroyed for it. */
function None({ game, limit, challenge, cards, actions }: NoneProps) {
  const { t } = useTranslation()
  const { defaultLifetime = containerLife.defaultLifetime, autoDestroyOnLimitReached } = useSite()
  const minutes = useMinutes()
  const { data } = useQuery(instancesQuery(game))
  const others = (data ?? []).filter(({ challengeId }) => challengeId !== challenge.id)
  const full = limit > 0 && others.length >= limit
  const oldest = others[0] && cards.find(({ id }) => id === others[0]?.challengeId)?.title
  const { lastEnd } = challenge.context
  return (
    <div className={c.running}>
      {lastEnd && (
        <p className={planned.has(lastEnd.cause) ? c.note : c.wary}>
          {t(`play.ended.${lastEnd.cause}`, { code: lastEnd.exitCode ?? '?' })}
        </p>
      )}
      <p className={c.note}>{t('play.instanceNeeded', { time: minutes(defaultLifetime) })}</p>
      {full && autoDestroyOnLimitReached && <p className={c.wary}>{t('play.givesWay', { title: oldest })}</p>}
      {full && !autoDestroyOnLimitReached && (
        <>
          <p className={c.wary}>{t('play.limitReached', { count: limit })}</p>
          <ul className={c.others}>
            {others.map(({ challengeId }) => (
              <Other
                key={challengeId}
                game={game}
                challenge={challengeId}
                title={cards.find(({ id }) => id === challengeId)?.title}
              />
            ))}
          </ul>
        </>
      )}
      <ActionButton
        action={actions.start}
        variant="default"
        size="sm"
        leftSection={<IconPlayerPlay size={16} stroke={1.8} />}
        disabled={full && !autoDestroyOnLimitReached}
        onClick={() => void actions.start.start()}
      >
        {t('play.instanceStart')}
      </ActionButton>
    </div>
  )
}

function Other({
  game,
  challenge,
  title,
}: {
  readonly game: number
  readonly challenge: number
  readonly title: string | undefined
}) {
  const { destroy } = useInstanceActions(game, challenge)
  return (
    <li className={c.other}>
      <span className="cut">{title ?? `#${challenge}`}</span>
      <DestroyButton destroy={destroy} size="compact-sm" />
    </li>
  )
}

function DestroyButton({ destroy, size }: { readonly destroy: Action<void>; readonly size: 'sm' | 'compact-sm' }) {
  const { t } = useTranslation()
  return (
    <ConfirmPopover
      title={t('play.destroyAsk')}
      text={t('play.destroyText')}
      confirm={t('play.destroy')}
      harmful
      onConfirm={() => void destroy.start()}
    >
      {(open) => (
        <ActionButton action={destroy} variant="subtle" color="bad" size={size} onClick={open}>
          {t('play.destroy')}
        </ActionButton>
      )}
    </ConfirmPopover>
  )
}
