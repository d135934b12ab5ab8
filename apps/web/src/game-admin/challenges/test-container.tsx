import { Button } from '@mantine/core'
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ContainerInfo, createTestContainer, deleteTestContainer } from '@vexil/contract/challenges'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { useSite } from '../../shell/site.ts'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { type Action, useAction, useErrorText } from '../../ui/base/use-action.ts'
import { EntryCommands, EntryField, PageLink } from '../../ui/game/entry-field.tsx'
import { entryLinks } from '../../ui/game/entry-links.ts'
import { NamedEntries } from '../../ui/game/entry-list.tsx'
import { TerminalDialog } from '../../ui/game/terminal-dialog.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { Countdown } from '../../ui/time/countdown.tsx'
import { challengeQuery } from '../game-admin.queries.ts'
import c from './challenge.module.css'
import type { PartProps } from './challenge-part.ts'
import { TryContainer } from './try-container.tsx'

interface Props extends Pick<PartProps, 'game' | 'challenge' | 'wrong' | 'busy'> {
  /** Stores the form; true when that worked or nothing was changed. */
  readonly store: () => Promise<boolean>
}

/** Stores the form first; a failed save starts nothing. */
export function TestContainer({ game, challenge, wrong, busy, store }: Props) {
  const { t } = useTranslation()
  const { containers } = useSite()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const [failure, setFailure] = useState<string>()
  /** End of the expired container; the server removes it a little later. */
  const [over, setOver] = useState<string>()
  const params = { id: game.id, cid: challenge.id }
  const refresh = () => queries.invalidateQueries({ queryKey: challengeQuery(game.id, challenge.id).queryKey })
  const start = useAction({
    id: 'test-container',
    call: async () => call(createTestContainer, { params }),
    working: t('admin.challenge.testStarting'),
    done: t('admin.challenge.testStarted'),
    failed: t('admin.challenge.testFailed'),
    onDone: () => refresh(),
    onFail: (refusal) => {
      if (refusal.http !== 429) setFailure(errorText(refusal))
      void refresh()
      return true
    },
  })
  const stop = useAction({
    id: 'test-container',
    call: async () => call(deleteTestContainer, { params }),
    working: t('admin.challenge.testStopping'),
    done: t('admin.challenge.testStopped'),
    failed: t('admin.notDeleted'),
    onDone: () => refresh(),
  })
  const run = async () => {
    setFailure(undefined)
    if (await store()) await start.start()
  }
  if (containers === 'None') return <p className={c.note}>{t('admin.challenge.noContainers')}</p>
  const container = challenge.testContainer
  if (container && container.expectStopAt !== over) {
    const onEnd = () => {
      setOver(container.expectStopAt)
      void refresh()
    }
    return (
      <Running title={challenge.title} container={container} stop={stop} onEnd={onEnd}>
        <TryContainer game={game.id} challenge={challenge.id} startedAt={container.startedAt} readiness={container.readiness} />
      </Running>
    )
  }
  return (
    <>
      <div className={c.row}>
        <ActionButton
          // A button that is disabled while the form is stored would lose the focus.
          action={{ busy: busy || start.busy, wait: start.wait }}
          size="sm"
          variant="default"
          leftSection={<IconPlayerPlay size={16} stroke={1.6} color="var(--ok)" />}
          disabled={wrong.size > 0}
          onClick={() => void run()}
        >
          {t('admin.challenge.test')}
        </ActionButton>
        <span className={c.note}>{t('admin.challenge.testHelp')}</span>
      </div>
      {failure && (
        <p className={c.failure} role="alert">
          {failure}
        </p>
      )}
    </>
  )
}

interface RunningProps {
  readonly title: string
  readonly container: ContainerInfo
  readonly stop: Action<void>
  readonly onEnd: () => void
  readonly children: ReactNode
}

function Running({ title, container, stop, onEnd, children }: RunningProps) {
  const { t } = useTranslation()
  const { instanceHosts } = useSite()
  const [terminal, setTerminal] = useState<{ readonly title: string; readonly url: string }>()
  const { shown, opens, page, commands } = entryLinks(container.entry, instanceHosts, { test: true, tls: container.tlsEntry })
  return (
    <>
      {container.readiness === 'waiting' ? (
        <p className={c.note} role="status">
          {t('admin.challenge.testAwaited')}
        </p>
      ) : (
        <>
          {container.readiness === 'late' && (
            <p className={c.failure} role="status">
              {t('admin.challenge.testLate')}
            </p>
          )}
          <EntryField label={t('admin.challenge.testEntry')} value={shown} opens={opens} />
          <EntryCommands commands={commands} />
          {page && <PageLink page={page} />}
          <NamedEntries
            entries={container.entries}
            hosts={instanceHosts}
            test
            onTerminal={(name, url) => setTerminal({ title: `${title} · ${name}`, url })}
          />
        </>
      )}
      <div className={c.row}>
        <Button
          size="sm"
          variant="default"
          leftSection={<IconPlayerStop size={16} stroke={1.6} color="var(--warn)" />}
          loading={stop.busy}
          disabled={stop.wait > 0}
          onClick={() => void stop.start()}
        >
          {t('admin.challenge.testStop')}
        </Button>
        <span className={c.note}>
          {t('admin.challenge.testEnds')} <Countdown key={container.expectStopAt} to={container.expectStopAt} onEnd={onEnd} />
        </span>
      </div>
      {children}
      {terminal && <TerminalDialog {...terminal} onClose={() => setTerminal(undefined)} />}
    </>
  )
}
