import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { Refusal } from '../api/client.ts'
import { useCopy } from '../ui/base/copy.tsx'
import { RequestId } from '../ui/base/states.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './error-screen.module.css'
import { clearCache } from './preferences.ts'

interface ScreenProps {
  readonly error: Error
  readonly onRetry: () => void
}

function ErrorScreen({ error, onRetry }: ScreenProps) {
  const { t } = useTranslation()
  const { copied, copy } = useCopy()
  const details = [
    `${error.name}: ${error.message}`,
    `Vexil ${import.meta.env.VITE_VERSION ?? ''}`.trim(),
    location.pathname,
    ...(error instanceof Refusal && error.requestId !== undefined ? [`Request ${error.requestId}`] : []),
    '',
    error.stack ?? '',
  ].join('\n')
  return (
    <div className={c.screen} role="alert">
      <h1>{t('shell.fault')}</h1>
      <p className={c.text}>{t('shell.faultText')}</p>
      <p className={c.message}>{error.message || error.name}</p>
      <RequestId error={error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls and must be reachable by keyboard */}
      <pre className={c.stack} tabIndex={0}>
        {error.stack}
      </pre>
      <div className={c.buttons}>
        <Button onClick={onRetry}>{t('ui.tryAgain')}</Button>
        <Button variant="default" onClick={clearCache}>
          {t('shell.clearCache')}
        </Button>
        <Button variant="default" onClick={() => void copy(details)}>
          {copied ? t('ui.copied') : t('shell.copyDetails')}
        </Button>
      </div>
    </div>
  )
}

interface BoundaryProps {
  readonly children: ReactNode
  /** A new value clears the error, so that another screen can be opened. */
  readonly place?: string
  /** Replaces a part that the page does not need; by default the error screen. */
  readonly instead?: ReactNode
}

/** Catches render errors. Every screen has one, and so has the application. */
export class ErrorBoundary extends Component<BoundaryProps, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override componentDidUpdate(before: BoundaryProps): void {
    if (this.state.error && before.place !== this.props.place) this.setState({ error: undefined })
  }

  override render(): ReactNode {
    const { error } = this.state
    const { children, instead } = this.props
    if (!error) return children
    return instead ?? <ErrorScreen error={error} onRetry={() => this.setState({ error: undefined })} />
  }
}
