import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect, useState } from 'react'
import c from './dialog.module.css'
import { FocusBack } from './focus-back.tsx'
import { FocusKept } from './focus-kept.tsx'
import { useTranslation } from './texts.tsx'

export interface DialogProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: ReactNode
  /** Quiet line below the title. */
  readonly sub?: ReactNode
  /** Width in pixels; on phones a dialog takes the width there is. */
  readonly size?: number
  /** Fills the screen on phones; for dialogs with much in them. */
  readonly tall?: boolean
  /** Shown above other dialogs. */
  readonly above?: boolean
  /** Row at the foot, for the buttons; harmful ones first, they go to the left. */
  readonly foot?: ReactNode
  readonly children: ReactNode
}

/** What a dialog draws. It begins closed, so that it opens as any later time: with its transition, and knowing what had the focus. */
export default function DialogBox({ opened, onClose, title, sub, size = 480, tall, above, foot, children }: DialogProps) {
  const { t } = useTranslation()
  const phone = useMediaQuery('(max-width: 767px)')
  const [ready, setReady] = useState(false)
  useEffect(() => setReady(true), [])
  return (
    <Modal.Root
      opened={opened && ready}
      onClose={onClose}
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
        {/* No header element: outside of an article it would count as the banner of the page. */}
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
