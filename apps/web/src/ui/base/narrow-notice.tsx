import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconHome } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useTranslation } from '../text/texts.tsx'
import c from './narrow-notice.module.css'

interface Props {
  readonly width: number
  readonly home: string
  readonly children: ReactNode
}

/** Asks for a wider device below a width. The children stay mounted and keep their state. */
export function NeedsWidth({ width, home, children }: Props) {
  const { t } = useTranslation()
  const wide = useMediaQuery(`(min-width: ${width}px)`, undefined, { getInitialValueInEffect: false })
  return (
    <>
      <div hidden={!wide} className={c.beneath}>
        {children}
      </div>
      {!wide && (
        <div className={c.notice}>
          <svg width="132" height="80" viewBox="0 0 132 80" aria-hidden>
            <path fill="none" stroke="var(--edge)" strokeWidth="2" d="M1 1h130v78H1z" />
            <path fill="var(--accent-text)" d="M0 0h44v80H0z" />
            <path fill="none" stroke="var(--ink-2)" strokeWidth="2" d="M60 40h50M101 31.5l9.5 8.5-9.5 8.5" />
          </svg>
          <h1>{t('ui.narrowTitle')}</h1>
          <p>{t('ui.narrowText', { width })}</p>
          <Button component={Link} to={home} variant="default" leftSection={<IconHome size={18} stroke={1.6} />}>
            {t('ui.home')}
          </Button>
        </div>
      )}
    </>
  )
}
