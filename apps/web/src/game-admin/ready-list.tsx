import { IconAlertCircle, IconAlertTriangle, IconCircleCheck, IconDownload } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import type { GameInfo } from '@vexil/contract/games'
import { pullGameImages } from '@vexil/contract/instances'
import { Link } from 'react-router'
import { call } from '../api/client.ts'
import { ActionButton } from '../ui/base/action-button.tsx'
import { formatBytes } from '../ui/base/bytes.ts'
import { useAction } from '../ui/base/use-action.ts'
import { FormSection, Wide } from '../ui/fields/form-section.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { useFormats } from '../ui/time/time.ts'
import { TimeTip } from '../ui/time/when.tsx'
import type { ReadyLine } from './ready.ts'
import c from './ready-list.module.css'
import { imagesQuery, useReady } from './use-ready.ts'

const icons = { red: IconAlertCircle, amber: IconAlertTriangle, green: IconCircleCheck }

export function ReadyList({ game }: { readonly game: GameInfo }) {
  const { t } = useTranslation()
  const lines = useReady(game)
  if (!lines) return <div data-waiting />
  const open = lines.filter(({ level }) => level !== 'green')
  const fine = lines.filter(({ level }) => level === 'green')
  return (
    <FormSection title={t('admin.ready.title')} help={t('admin.ready.help')}>
      <Wide>
        {open.length === 0 && <p className={c.all}>{t('admin.ready.all')}</p>}
        <Lines game={game} lines={open} />
        {lines.some(({ kind }) => kind === 'lacksImage' || kind === 'nodeLacksImage') && <PullAgain game={game.id} />}
        <details className={c.fine}>
          <summary>{t('admin.ready.fine', { count: fine.length })}</summary>
          <Lines game={game} lines={fine} />
        </details>
      </Wide>
    </FormSection>
  )
}

function PullAgain({ game }: { readonly game: number }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const pull = useAction({
    id: 'pull-images',
    call: async () => call(pullGameImages, { params: { id: game } }),
    onDone: (images) => void queries.setQueryData(imagesQuery(game).queryKey, images),
  })
  return (
    <ActionButton
      action={pull}
      size="sm"
      variant="default"
      leftSection={<IconDownload size={16} stroke={1.6} />}
      onClick={() => void pull.start()}
    >
      {t('admin.ready.pullAgain')}
    </ActionButton>
  )
}

function Lines({ game, lines }: { readonly game: GameInfo; readonly lines: readonly ReadyLine[] }) {
  const { t } = useTranslation()
  const { time } = useFormats()
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const values = ({ kind, title = '', count = 0, image, node, problem }: ReadyLine) =>
    kind === 'times'
      ? { start: time(game.start), end: time(game.end), zone }
      : kind === 'disk' || kind === 'diskFull'
        ? { free: formatBytes(count) }
        : { title, count, image, node, problem }
  const times = (text: string) => (
    <TimeTip at={game.start} until={game.end}>
      {text}
    </TimeTip>
  )
  return (
    <ul className={c.lines}>
      {lines.map((line) => {
        const Icon = icons[line.level]
        const text = t(`admin.ready.line.${line.kind}`, values(line))
        return (
          <li key={[line.kind, line.to, line.title, line.image, line.node].join(' ')} data-level={line.level}>
            <Icon size={18} stroke={1.8} role="img" aria-label={t(`admin.ready.${line.level}`)} />
            {line.to ? <Link to={line.to}>{text}</Link> : <span>{line.kind === 'times' ? times(text) : text}</span>}
          </li>
        )
      })}
    </ul>
  )
}
