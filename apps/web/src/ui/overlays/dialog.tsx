import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from '../text/texts.tsx'
import c from './dialog.module.css'
import { FocusBack } from './focus-back.tsx'
import { FocusKept } from './focus-kept.tsx'
import { useEscape } from './use-escape.ts'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  readonly sub?: ReactNode
  /** Width in pixels; full width on phones. */
  readonly size?: number
  /** Full screen on phones. */
  readonly tall?: boolean
  readonly above?: boolean
  /** Row of buttons; harmful ones first, at the left. */
  readonly foot?: ReactNode
  readonly children: ReactNode
}

/** A dialog that traps and restores the focus. The first render is closed, to have a transition and record the focus. */
export function Dialog({ opened, onClose, title, sub, size = 480, tall, above, foot, children }: Props) {
  const { t } = useTranslation()
  const phone = useMediaQuery('(max-width: 767px)')
  const [ready, setReady] = useState(false)
  useEffect(() => setReady(true), [])
  useEscape(opened && ready, onClose)
  return (
    <Modal.Root
      opened={opened && ready}
      onClose={onClose}
      closeOnEscape={false}
      size={size}
      fullScreen={Boolean(tall && phone)}
      centered={!tall}
      zIndex={above ? 250 : undefined}
      xOffset={16}
      radius="lg"
      shadow="md"
      transitionProps={{ transition: 'fade', duration: 120 }}
    >
      <Modal.Overlay />
      <Modal.Content>
        {/* A header element outside of an article would be the banner of the page. */}
        <div className={c.head}>
          <Modal.Title>
            {title}
            {sub && <span className={c.sub}>{sub}</span>}
          </Modal.Title>
          <Modal.CloseButton aria-label={t('ui.close')} />
        </div>
        <Modal.Body>
          <FocusBack />
          <FocusKept />
          {children}
          {foot && <div className={c.foot}>{foot}</div>}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
