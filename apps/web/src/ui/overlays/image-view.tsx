import { useTranslation } from '../text/texts.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
  readonly src: string
  readonly alt: string
}

export default function ImageView({ opened, onClose, src, alt }: Props) {
  const { t } = useTranslation()
  return (
    <Dialog opened={opened} onClose={onClose} size={1040} title={alt || t('ui.image')}>
      <img className="md-enlarged" src={src} alt={alt} />
    </Dialog>
  )
}
