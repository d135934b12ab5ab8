/** States of a screen without current data: loading, failure, empty list, reconnecting. */
import { Button, Skeleton } from '@mantine/core'
import { IconCloudOff, IconPlugConnectedX } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Refusal } from '../../api/client.ts'
import { useOnline } from '../../api/connection.ts'
import { SignalFlag } from '../game/signal-flag.tsx'
import { useTranslation } from '../text/texts.tsx'
import { When } from '../time/when.tsx'
import c from './states.module.css'
import { useErrorText } from './use-action.ts'

const lines = [1, 2, 3, 4, 5, 6]

/** Placeholder lines, shown immediately; twice as many in place of a page. */
export function Waiting({ page }: { readonly page?: boolean }) {
  const { t } = useTranslation()
  return (
    <div className={c.waiting} role="status" data-loading>
      <span className="unseen">{t('ui.loading')}</span>
      {(page ? [...lines, ...lines.map((line) => -line)] : lines).map((line) => (
        <Skeleton key={line} height={18} mt={16} />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly icon?: ReactNode
  /** Letter of a signal flag. */
  readonly flag?: string
  readonly title: string
  readonly text?: ReactNode
  readonly action?: ReactNode
  /** The title is the heading of the page. */
  readonly page?: boolean
}

export function Empty({ icon, flag, title, text, action, page }: EmptyProps) {
  const Title = page ? 'h1' : 'p'
  return (
    <div className={c.empty}>
      {(icon || flag) && <span className={c.icon}>{flag ? <SignalFlag letter={flag} size={40} /> : icon}</span>}
      <Title className={c.title}>{title}</Title>
      {text && <p className={c.text}>{text}</p>}
      {action && <div className={c.action}>{action}</div>}
    </div>
  )
}

/** The id of the request in small print, with which the operator finds the log entry. */
export function RequestId({ error }: { readonly error: unknown }) {
  const { t } = useTranslation()
  if (!(error instanceof Refusal) || error.requestId === undefined) return null
  return <p className={c.request}>{t('ui.requestId', { id: error.requestId })}</p>
}

interface FailureProps {
  readonly error: unknown
  readonly onRetry?: () => void
}

export function Failure({ error, onRetry }: FailureProps) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  return (
    <div className={c.empty} role="alert">
      <span className={c.icon}>
        <IconCloudOff size={32} stroke={1.4} />
      </span>
      <p className={c.title}>{t('ui.notLoaded')}</p>
      <p className={c.text}>{errorText(error)}</p>
      <RequestId error={error} />
      {onRetry && (
        <div className={c.action}>
          <Button variant="default" onClick={onRetry}>
            {t('ui.retry')}
          </Button>
        </div>
      )}
    </div>
  )
}

interface ViewProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending' | 'isFetching' | 'dataUpdatedAt' | 'refetch'>
  readonly waiting?: ReactNode
  readonly children: (data: NonNullable<T>) => ReactNode
}

/** Shows a query while it loads, fails and has data. When a refresh fails, data stays visible with its age. */
export function QueryView<T>({ query, waiting, children }: ViewProps<T>) {
  const { t } = useTranslation()
  // While the platform is unreachable, the shell shows the age.
  const online = useOnline()
  if (query.data === undefined || query.data === null) {
    if (query.error && !query.isFetching) return <Failure error={query.error} onRetry={() => void query.refetch()} />
    return waiting ?? <Waiting />
  }
  return (
    <>
      {query.error && online && (
        <p className={c.old} role="status">
          <IconCloudOff size={16} stroke={1.6} />
          <span>
            {t('ui.dataFrom')} <When at={query.dataUpdatedAt} style="clock" />
          </span>
          <button type="button" className="link" onClick={() => void query.refetch()}>
            {t('ui.retry')}
          </button>
        </p>
      )}
      {children(query.data)}
    </>
  )
}

/** Badge of a panel whose live channel is away; hidden while the whole platform is unreachable, which the shell shows. */
export function Reconnecting() {
  const { t } = useTranslation()
  if (!useOnline()) return null
  return (
    <span className={c.badge} role="status">
      <IconPlugConnectedX size={14} stroke={1.8} />
      {t('ui.reconnecting')}
    </span>
  )
}
