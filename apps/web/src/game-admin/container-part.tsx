import { Button, NumberInput, Switch, TextInput } from '@mantine/core'
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { createTestContainer, deleteTestContainer } from '@vexil/contract/challenges'
import { challengeLimits } from '@vexil/core/limits'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { Countdown } from '../ui/countdown.tsx'
import { EntryField } from '../ui/entry-field.tsx'
import mono from '../ui/mono-input.module.css'
import { useFormats } from '../ui/time.ts'
import { useAction } from '../ui/use-action.ts'
import c from './challenge.module.css'
import type { WrongChallenge } from './challenge-fields.ts'
import type { PartProps } from './challenge-part.ts'
import { challengeQuery } from './game-admin.queries.ts'

type Numbered = Extract<WrongChallenge, 'containerExposePort' | 'cpuCount' | 'memoryLimit' | 'storageLimit'>

interface Props extends PartProps {
  /** Stores the form; true when that worked or nothing was changed. */
  readonly store: () => Promise<boolean>
}

export function ContainerPart({ game, challenge, fields, set, wrong, busy, store }: Props) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const cores = typeof fields.cpuCount === 'number' ? t('admin.challenge.cores', { cores: number(fields.cpuCount / 10) }) : ' '
  const field = (name: Numbered, help: string) => (
    <NumberInput
      label={t(`admin.challenge.${name}`)}
      description={help}
      hideControls
      clampBehavior="none"
      value={fields[name]}
      error={wrong.has(name)}
      disabled={busy}
      onChange={(value) => set({ [name]: value })}
    />
  )
  return (
    <section className={c.part}>
      <h2 className={c.partHead}>{t('admin.challenge.container')}</h2>
      <TextInput
        label={t('admin.challenge.containerImage')}
        classNames={mono}
        placeholder="registry.example/name:tag"
        maxLength={challengeLimits.imageNameMax}
        spellCheck={false}
        value={fields.containerImage}
        error={wrong.has('containerImage') && t('admin.challenge.imageMissing')}
        disabled={busy}
        onChange={(event) => set({ containerImage: event.currentTarget.value })}
      />
      <div className={c.four}>
        {field('containerExposePort', 'TCP')}
        {field('cpuCount', cores)}
        {field('memoryLimit', 'MB')}
        {field('storageLimit', 'MB')}
      </div>
      <Switch
        label={t('admin.challenge.capture')}
        description={t('admin.challenge.captureHelp')}
        checked={fields.enableTrafficCapture}
        disabled={busy}
        onChange={(event) => set({ enableTrafficCapture: event.currentTarget.checked })}
      />
      <TestContainer game={game} challenge={challenge} wrong={wrong} busy={busy} store={store} />
    </section>
  )
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Through the platform's proxy the entry is a number of its own; otherwise it is host and port. */
function addressesOf(entry: string): { shown: string; opens?: string } {
  if (!guid.test(entry)) return { shown: entry, opens: `http://${entry}` }
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:'
  return { shown: `${scheme}//${location.host}/api/proxy/noinst/${entry}` }
}

/** Stores the form first; after a failed save nothing is started (CE-3). */
function TestContainer({ game, challenge, wrong, busy, store }: Omit<Props, 'fields' | 'set'>) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const params = { id: game.id, cid: challenge.id }
  const refresh = () => queries.invalidateQueries({ queryKey: challengeQuery(game.id, challenge.id).queryKey })
  const start = useAction({
    id: 'test-container',
    call: async () => call(createTestContainer, { params }),
    working: t('admin.challenge.testStarting'),
    done: t('admin.challenge.testStarted'),
    failed: t('admin.challenge.testFailed'),
    onDone: refresh,
  })
  const stop = useAction({
    id: 'test-container',
    call: async () => call(deleteTestContainer, { params }),
    working: t('admin.challenge.testStopping'),
    done: t('admin.challenge.testStopped'),
    failed: t('admin.notDeleted'),
    onDone: refresh,
  })
  const container = challenge.testContainer
  if (!container) {
    const run = async () => {
      if (await store()) await start.start()
    }
    return (
      <div className={c.row}>
        <Button
          size="sm"
          variant="default"
          leftSection={<IconPlayerPlay size={16} stroke={1.6} color="var(--ok)" />}
          loading={start.busy}
          disabled={busy || wrong.size > 0 || start.wait > 0}
          onClick={() => void run()}
        >
          {t('admin.challenge.test')}
        </Button>
        <span className={c.note}>{t('admin.challenge.testHelp')}</span>
      </div>
    )
  }
  const { shown, opens } = addressesOf(container.entry)
  return (
    <>
      <EntryField label={t('admin.challenge.testEntry')} value={shown} opens={opens} />
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
          <Countdown to={container.expectStopAt} onEnd={() => void refresh()} />
        </span>
      </div>
    </>
  )
}
