import { Button } from '@mantine/core'
import { IconClockPlus, IconPlayerPlay, IconTerminal2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Entry, StartProgress } from '@vexil/contract/challenges'
import type { ChallengeDetail } from '@vexil/contract/scoreboard'
import { containerLife } from '@vexil/core/limits'
import { hasContainer } from '@vexil/core/vocabulary'
import { useEffect, useRef, useState } from 'react'
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
import { StartLine } from './start-progress.tsx'
import { useMinutes } from './use-minutes.ts'
import { useTimeLeft } from './use-time-left.ts'

interface Props {
  readonly game: number
  readonly limit: number
  readonly challenge: ChallengeDetail
  readonly cards: readonly Shown[]
}

export function InstancePanel({ game, limit, challenge, cards }: Props) {
  const { t } = useTranslation()
  const { containers, known } = useSite()
  const actions = useInstanceActions(game, challenge.id)
  const view = viewOf(challenge)
  const place = useKeptFocus(view.shows === 'running' ? view.closeTime : view.shows)
  // Outlives the instance: what a service sent before it ended stays readable.
  const [terminal, setTerminal] = useState<OpenTerminal>()
  if (!hasContainer(challenge.type)) return null
  const { tlsEntry, readiness } = challenge.context
  if (known && containers === 'None')
    return (
      <ChallengePart name={t('play.instance')}>
        <p className={c.note}>{t('play.noContainers')}</p>
      </ChallengePart>
    )
  return (
    <ChallengePart
      name={t('play.instance')}
      {...(view.shows === 'running' && {
        count: t('play.instanceRunning'),
        ...(readiness === 'late' ? {} : { tone: 'ok' }),
      })}
    >
      <div ref={place} tabIndex={-1} className={c.place}>
        <Spoken view={view} challenge={challenge} />
        {view.shows === 'running' ? (
          <Running
            title={challenge.title}
            entry={view.entry}
            tls={tlsEntry}
            entries={challenge.context.entries}
            closeTime={view.closeTime}
            isLate={readiness === 'late'}
            actions={actions}
            onTerminal={setTerminal}
          />
        ) : view.shows === 'starting' ? (
          <Starting start={view.start} cancel={actions.cancel} />
        ) : (
          <None game={game} limit={limit} challenge={challenge} cards={cards} actions={actions} />
        )}
      </div>
      {terminal && (
        <TerminalDialog
          {...terminal}
          onClose={() => {
            setTerminal(undefined)
            // The control that opened it no longer exists.
            if (view.shows !== 'running') place.current?.focus({ preventScroll: true })
          }}
        />
      )}
    </ChallengePart>
  )
}

interface OpenTerminal {
  readonly title: string
  readonly url: string
}

type View =
  | { readonly shows: 'running'; readonly entry: string; readonly closeTime: string }
  | { readonly shows: 'starting'; readonly start: StartProgress }
  | { readonly shows: 'none' }

function viewOf({ context: { instanceEntry: entry, closeTime, readiness, start } }: ChallengeDetail): View {
  if (entry && closeTime) return { shows: 'running', entry, closeTime }
  if (start) return { shows: 'starting', start }
  if (readiness === 'waiting') return { shows: 'starting', start: { phase: 'waiting', place: null, percent: null } }
  return { shows: 'none' }
}

/** Takes over the focus of a control that a change of `shows` removes or disables, so that it does not leave the dialog. */
function useKeptFocus(shows: string) {
  const place = useRef<HTMLDivElement>(null)
  const hadFocus = useRef(false)
  useEffect(() => {
    const follow = () => {
      hadFocus.current = place.current?.contains(document.activeElement) ?? false
    }
    document.addEventListener('focusin', follow)
    return () => document.removeEventListener('focusin', follow)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of what is shown
  useEffect(() => {
    const active = document.activeElement
    // A browser takes the focus from a disabled control only later.
    const isLost = !place.current?.contains(active) || active?.matches(':disabled')
    if (hadFocus.current && isLost) place.current?.focus({ preventScroll: true })
  }, [shows])
  return place
}

/** The text for screen readers: the phases, without the numbers that change every second. */
function Spoken({ view, challenge }: { readonly view: View; readonly challenge: ChallengeDetail }) {
  const { t } = useTranslation()
  const { startFailure } = challenge.context
  return (
    <span aria-live="polite" className="unseen">
      {view.shows === 'starting'
        ? t(`play.phase.${view.start.phase}`)
        : view.shows === 'running'
          ? t('play.instanceStarted')
          : startFailure?.title}
    </span>
  )
}

interface RunningProps {
  readonly title: string
  readonly entry: string
  /** `host:port` for TLS connections. */
  readonly tls: string | null
  readonly entries: readonly Entry[]
  readonly closeTime: string
  /** The service has not answered in time. */
  readonly isLate: boolean
  readonly actions: InstanceActions
  readonly onTerminal: (terminal: OpenTerminal) => void
}

function Running({ title, entry, tls, entries, closeTime, isLate, actions, onTerminal }: RunningProps) {
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
  return (
    <div className={c.running}>
      {isLate && (
        <p className={c.wary} role="status">
          {t('play.late')}
        </p>
      )}
      <p className={soon ? `${c.left} ${c.soon}` : c.left}>
        <span className={c.clock}>
          <Countdown key={closeTime} to={closeTime} onEnd={actions.refresh} />
        </span>
        <span>
          {over ? t('play.endsNow') : soon ? t('play.extendNow') : t('play.extendLater', { time: minutes(renewalWindow) })}
        </span>
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
              onClick={() => onTerminal({ title, url: shown })}
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
      <NamedEntries
        entries={entries}
        hosts={instanceHosts}
        onTerminal={(name, url) => onTerminal({ title: `${title} · ${name}`, url })}
      />
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
function Starting({ start, cancel }: { readonly start: StartProgress; readonly cancel: Action<void> }) {
  const { t } = useTranslation()
  return (
    <div className={c.running}>
      <StartLine start={start} />
      <div className={c.buttons}>
        <ActionButton action={cancel} variant="default" size="sm" onClick={() => void cancel.start()}>
          {t('play.cancelStart')}
        </ActionButton>
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

/** Reasons for the end of an instance that are not a failure. */
const planned: ReadonlySet<string> = new Set(['expiry', 'limit', 'administrator', 'solve'])

/** Shows before a start why the last instance ended, which instances run and which would be destroyed for it. */
function None({ game, limit, challenge, cards, actions }: NoneProps) {
  const { t } = useTranslation()
  const { defaultLifetime = containerLife.defaultLifetime, autoDestroyOnLimitReached } = useSite()
  const minutes = useMinutes()
  const { data } = useQuery(instancesQuery(game))
  const others = (data ?? []).filter(({ challengeId }) => challengeId !== challenge.id)
  const full = limit > 0 && others.length >= limit
  const oldest = cards.find(({ id }) => id === others[0]?.challengeId)?.title
  const { lastEnd, startFailure } = challenge.context
  return (
    <div className={c.running}>
      {lastEnd && (
        <p className={planned.has(lastEnd.cause) ? c.note : c.wary}>
          {t(`play.ended.${lastEnd.cause}`, { code: lastEnd.exitCode ?? '?' })}
        </p>
      )}
      {startFailure && (
        <p className={c.wary}>
          {t('play.instanceNotStarted')}
          <br />
          {startFailure.title}
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
        {t(startFailure ? 'ui.tryAgain' : 'play.instanceStart')}
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
