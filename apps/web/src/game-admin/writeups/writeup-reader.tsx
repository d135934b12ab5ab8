import { ActionIcon } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconDownload } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { withParts } from '../../shell/paths.ts'
import { withRetry } from '../../ui/base/chunk-recovery.ts'
import { useKeys } from '../../ui/base/keyboard.ts'
import { Empty, Waiting } from '../../ui/base/states.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import { WriteupList } from './writeup-list.tsx'
import c from './writeups.module.css'
import { keepWriteups, type WriteupFilter, type WriteupRow } from './writeups.ts'

const PdfView = lazy(withRetry(() => import('../../ui/pdf/pdf-view.tsx').then(({ PdfView }) => ({ default: PdfView }))))

const readState = (text: string | null) => (text === 'in' || text === 'missing' ? text : null)

export function WriteupReader({ rows }: { readonly rows: readonly WriteupRow[] }) {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const filter: WriteupFilter = { text: query.get('find') ?? '', handed: readState(query.get('handed')) }
  const shown = keepWriteups(rows, filter)
  const requestedTeam = Number(query.get('team'))
  const open = shown.find(({ id }) => id === requestedTeam) ?? shown.find(({ file }) => file) ?? shown[0]
  const at = open ? shown.indexOf(open) : -1
  const change = (parts: Readonly<Record<string, string | null>>) =>
    setQuery((before) => withParts(before, parts), { replace: true })
  const choose = (row: WriteupRow | undefined) => row && change({ team: String(row.id) })
  const step = (by: number) => choose(shown[at + by])
  useKeys([
    { key: 'ArrowLeft', name: t('admin.writeups.previous'), act: () => step(-1) },
    { key: 'ArrowUp', name: t('admin.writeups.previous'), act: () => step(-1) },
    { key: 'ArrowRight', name: t('admin.writeups.next'), act: () => step(1) },
    { key: 'ArrowDown', name: t('admin.writeups.next'), act: () => step(1) },
  ])
  if (rows.length === 0) {
    return <Empty flag="W" title={t('admin.writeups.none')} text={t('admin.writeups.noneText')} />
  }
  return (
    <div className={c.reader}>
      <section className={c.viewer} aria-label={t('admin.writeups.viewer')}>
        <header className={c.bar}>
          <Step label={t('admin.writeups.previous')} disabled={at <= 0} onClick={() => step(-1)} back />
          <Step label={t('admin.writeups.next')} disabled={at < 0 || at >= shown.length - 1} onClick={() => step(1)} />
          <h2 className={`${c.name} cut`}>{open?.team.name}</h2>
          {open?.file && <When at={open.file.at} style="exact" className="small faint" />}
          <span className="small faint num">{t('admin.writeups.place', { at: at + 1, count: shown.length })}</span>
          {open?.file && <Download row={open} />}
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <section className={c.pages} tabIndex={0} aria-label={t('admin.writeups.pages')} key={open?.id}>
          {open?.file ? (
            <Suspense fallback={<Waiting />}>
              <PdfView url={open.file.url} name={open.team.name} />
            </Suspense>
          ) : (
            <Empty flag="W" title={t(open ? 'admin.writeups.missingOne' : 'admin.writeups.notFound')} />
          )}
        </section>
      </section>
      <WriteupList rows={shown} total={rows} open={open} filter={filter} onFilter={change} onChoose={choose} />
    </div>
  )
}

interface StepProps {
  readonly label: string
  readonly disabled: boolean
  readonly onClick: () => void
  readonly back?: boolean
}

function Step({ label, disabled, onClick, back }: StepProps) {
  const Icon = back ? IconChevronLeft : IconChevronRight
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} aria-disabled={disabled} data-disabled={disabled || undefined} onClick={onClick}>
        <Icon size={20} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  )
}

/** A plain link: the browser shows the progress. */
function Download({ row }: { readonly row: WriteupRow }) {
  const { t } = useTranslation()
  const label = t('admin.writeups.downloadOne', { team: row.team.name })
  return (
    <Tooltip label={label}>
      <ActionIcon component="a" href={row.file?.url} download aria-label={label}>
        <IconDownload size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  )
}
