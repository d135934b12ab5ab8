import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconHelpCircle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type IsolationProbe, startIsolationProbe } from '@vexil/contract/instances'
import { call } from '../../api/client.ts'
import { useSite } from '../../shell/site.ts'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { Failure } from '../../ui/base/states.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import { engineQuery, isolationQuery } from '../site-admin.queries.ts'
import c from './isolation.module.css'
import { countOf } from './isolation.ts'
import { IsolationTable } from './isolation-table.tsx'

const icons = { good: IconCircleCheck, warns: IconAlertTriangle, bad: IconCircleX, quiet: IconHelpCircle } as const

/** What containers reached although they must not; renders nothing without an engine. */
export function IsolationSection() {
  const { t } = useTranslation()
  const query = useQuery(isolationQuery)
  const { containers } = useSite()
  if (query.data?.state === 'none' || containers === 'None') return null
  return (
    <section className={c.isolation} aria-label={t('admin.isolation.title')}>
      {query.data ? <Result probe={query.data} /> : query.error ? <Failure error={query.error} /> : <div className={c.waiting} />}
    </section>
  )
}

function Result({ probe }: { readonly probe: IsolationProbe }) {
  const { t } = useTranslation()
  const kind = useQuery(engineQuery).data?.kind
  const { state, finishedAt, problem, attempts } = probe
  const [reached, untried] = [countOf(attempts, 'reached'), countOf(attempts, 'untried')]
  const { tone, text } = useSummary(probe)
  const Icon = icons[tone]
  return (
    <>
      <div className={c.head}>
        <span className={c[tone]}>
          <Icon size={20} stroke={1.6} />
        </span>
        <div className={c.words}>
          <p className={c.name} role="status">
            {state === 'running' ? t('admin.isolation.running') : text}
          </p>
          {problem !== null && <p className={c.reason}>{problem}</p>}
          {untried > 0 && <p className="dim">{t('admin.isolation.untried', { count: untried })}</p>}
          {kind === 'Kubernetes' && <p className="dim">{t('admin.isolation.plugin')}</p>}
          {finishedAt !== null && (
            <p className="dim">
              {t('admin.isolation.at')} <When at={finishedAt} style="moment" />
            </p>
          )}
        </div>
        <Try isRunning={state === 'running'} />
      </div>
      {attempts.length > 0 && (
        // Opens when something is reached.
        <details className={c.details} key={String(reached > 0)} open={reached > 0}>
          <summary>{t('admin.isolation.table')}</summary>
          <IsolationTable attempts={attempts} />
        </details>
      )}
    </>
  )
}

function useSummary({ finishedAt, problem, attempts }: IsolationProbe): { tone: keyof typeof icons; text: string } {
  const { t } = useTranslation()
  const [reached, refused] = [countOf(attempts, 'reached'), countOf(attempts, 'refused')]
  if (finishedAt === null) return { tone: 'quiet', text: t('admin.isolation.never') }
  if (problem !== null) return { tone: 'warns', text: t('admin.isolation.problem') }
  if (reached > 0) return { tone: 'bad', text: t('admin.isolation.reached', { count: reached }) }
  if (refused > 0) return { tone: 'good', text: t('admin.isolation.proven', { count: refused }) }
  return { tone: 'warns', text: t('admin.isolation.nothing') }
}

function Try({ isRunning }: { readonly isRunning: boolean }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const start = useAction({
    id: 'try-isolation',
    call: () => call(startIsolationProbe),
    failed: t('admin.isolation.failed'),
    onDone: (probe) => void queries.setQueryData(isolationQuery.queryKey, probe),
  })
  return (
    <ActionButton
      action={{ busy: start.busy || isRunning, wait: start.wait }}
      variant="default"
      size="sm"
      onClick={() => void start.start()}
    >
      {t('admin.isolation.try')}
    </ActionButton>
  )
}
