import { Button } from '@mantine/core'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'

interface Props {
  readonly opened: boolean
  readonly title: string
  readonly text: string
  /** Label of the button that leaves the page. */
  readonly leave: string
  readonly onClose: () => void
  readonly onLeave: () => void
}

/** Asks whether to keep a page whose session has ended. */
export default function SessionDialog({ opened, title, text, leave, onClose, onLeave }: Props) {
  const { t } = useTranslation()
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={title}
      size={440}
      above
      foot={
        <>
          <Button variant="default" onClick={onClose}>
            {t('shell.stayHere')}
          </Button>
          <Button onClick={onLeave}>{leave}</Button>
        </>
      }
    >
      <p className="dim">{text}</p>
    </Dialog>
  )
}
