import { IconAlertCircle, IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import type { GameInfo } from '@vexil/contract/games'
import { Link } from 'react-router'
import { formatBytes } from '../ui/base/bytes.ts'
import { FormSection, Wide } from '../ui/fields/form-section.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { useFormats } from '../ui/time/time.ts'
import { TimeTip } from '../ui/time/when.tsx'
import type { ReadyLine } from './ready.ts'
import c from './ready-list.module.css'
import { useReady } from './use-ready.ts'

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
        <details className={c.fine}>
          <summary>{t('admin.ready.fine', { count: fine.length })}</summary>
          <Lines game={game} lines={fine} />
        </details>
      </Wide>
    </FormSection>
  )
}

function Lines({ game, lines }: { readonly game: GameInfo; readonly lines: readonly ReadyLine[] }) {
  const { t } = useTranslation()
  const { time } = useFormats()
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const values = ({ kind, title = '', count = 0 }: ReadyLine) =>
    kind === 'times'
      ? { start: time(game.start), end: time(game.end), zone }
      : kind === 'disk' || kind === 'diskFull'
        ? { free: formatBytes(count) }
        : { title, count }
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
          <li key={`${line.kind} ${line.to} ${line.title}`} data-level={line.level}>
            <Icon size={18} stroke={1.8} role="img" aria-label={t(`admin.ready.${line.level}`)} />
            {line.to ? <Link to={line.to}>{line.kind === 'times' ? times(text) : text}</Link> : <span>{text}</span>}
          </li>
        )
      })}
    </ul>
  )
}
