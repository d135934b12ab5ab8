import { Button } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconPlugConnectedX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { EngineStatus } from '@vexil/contract/instances'
import type { ReactNode } from 'react'
import { serverNow } from '../../api/clock.ts'
import { useSite } from '../../shell/site.ts'
import { formatBytes } from '../../ui/base/bytes.ts'
import { Stat } from '../../ui/base/stat.tsx'
import { Failure } from '../../ui/base/states.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import { engineQuery } from '../site-admin.queries.ts'
import c from './engine.module.css'

/** State of the container engine; renders nothing if none is configured, which the list below shows. */
export function EngineSection() {
  const { t } = useTranslation()
  const query = useQuery(engineQuery)
  const { containers } = useSite()
  if (query.data?.state === 'none' || containers === 'None') return null
  return (
    <section className={c.engine} aria-label={t('admin.engine.title')}>
      {query.data ? (
        <Engine status={query.data} />
      ) : query.error ? (
        <Failure error={query.error} />
      ) : (
        <div className={c.waiting} />
      )}
      {query.data?.state !== 'reachable' && !query.isPending && (
        <Button className={c.again} variant="default" size="sm" loading={query.isFetching} onClick={() => void query.refetch()}>
          {t('admin.engine.again')}
        </Button>
      )}
    </section>
  )
}

function Engine({ status }: { readonly status: EngineStatus }) {
  const { t } = useTranslation()
  const { kind, state, reason } = status
  if (state !== 'reachable')
    return (
      <Line bad icon={<IconPlugConnectedX size={20} stroke={1.6} />} name={t(`admin.engine.${state as 'unreachable'}`, { kind })}>
        {reason && <p className={c.reason}>{reason}</p>}
        <p className="dim">{t('admin.engine.awayText')}</p>
      </Line>
    )
  const { version, isolation, limitsStorage, credentialsUntil } = status
  const proven = isolation === 'in place'
  const icon = proven ? <IconCircleCheck size={20} stroke={1.6} /> : <IconAlertTriangle size={20} stroke={1.6} />
  return (
    <>
      <Line icon={icon} name={t('admin.engine.reachable', { kind, version: version ?? '' })} warning={!proven}>
        <p className={proven ? 'dim' : c.warns}>
          {proven ? t('admin.engine.isolated') : t('admin.engine.notIsolated', { reason: isolation })}
        </p>
        {credentialsUntil !== null && <Credentials until={credentialsUntil} />}
        {limitsStorage !== null && <p className="dim">{t(`admin.engine.storage${limitsStorage ? 'On' : 'Off'}`)}</p>}
      </Line>
      <Figures status={status} />
    </>
  )
}

/** Milliseconds before the end of the credentials from which the page warns. */
const warnBeforeMs = 14 * 86_400_000

function Credentials({ until }: { readonly until: string }) {
  const { t } = useTranslation()
  const isExpiring = Date.parse(until) - serverNow() < warnBeforeMs
  return (
    <p className={isExpiring ? c.warns : 'dim'}>
      {t('admin.engine.credentials')} <When at={until} />
      {isExpiring && ` ${t('admin.engine.credentialsText')}`}
    </p>
  )
}

function Figures({ status: { running, images, memory, disk } }: { readonly status: EngineStatus }) {
  const { t } = useTranslation()
  const unknown = t('admin.engine.unknown')
  const space = (name: 'memory' | 'disk', figures: EngineStatus['memory']) => (
    <Stat
      value={figures?.free == null ? unknown : formatBytes(figures.free)}
      {...(figures && { of: t('admin.engine.of', { total: formatBytes(figures.total) }) })}
      label={t(`admin.engine.${name}`)}
    />
  )
  return (
    <div className={c.figures}>
      <Stat value={running ?? unknown} label={t('admin.engine.running')} />
      <Stat value={images ?? unknown} label={t('admin.engine.images')} />
      {space('memory', memory)}
      {space('disk', disk)}
    </div>
  )
}

interface LineProps {
  readonly icon: ReactNode
  readonly name: string
  readonly bad?: boolean
  readonly warning?: boolean
  readonly children: ReactNode
}

function Line({ icon, name, bad, warning, children }: LineProps) {
  return (
    <div className={c.line}>
      <span className={bad ? c.bad : warning ? c.warns : c.good}>{icon}</span>
      <div className={c.words}>
        <p className={c.name}>{name}</p>
        {children}
      </div>
    </div>
  )
}
