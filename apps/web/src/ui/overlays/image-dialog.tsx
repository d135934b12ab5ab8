import { Button } from '@mantine/core'
import { IconPhoto } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { ActionButton } from '../base/action-button.tsx'
import { useAction } from '../base/use-action.ts'
import { DropPlace } from '../fields/drop-place.tsx'
import { checkImage, imageTypes } from '../fields/image-file.ts'
import { useTranslation } from '../text/texts.tsx'
import { Dialog } from './dialog.tsx'
import c from './image-dialog.module.css'
import { toast } from './toast.tsx'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  readonly current: ReactNode
  /** The dialog closes when it resolves. */
  readonly upload: (file: File) => Promise<unknown>
  readonly onDone?: () => void | Promise<void>
  readonly done: string
  readonly wide?: boolean
}

/** Uploads a picture that was dropped, chosen or pasted, after a check of type and size. */
export function ImageDialog({ opened, onClose, title, current, upload, onDone, done, wide }: Props) {
  const { t } = useTranslation()
  const [file, setFile] = useState<File>()
  const [preview, setPreview] = useState<string>()

  const choose = (chosen: File | undefined) => {
    if (chosen && checkImage(chosen) === undefined) return setFile(chosen)
    toast({ id: 'image', kind: 'bad', title: t('ui.fileNotLoaded'), text: t('ui.fileInvalid') })
  }
  const action = useAction<File>({
    id: 'image',
    call: upload,
    working: t('ui.uploading'),
    done,
    onDone: async () => {
      await onDone?.()
      onClose()
    },
  })

  useEffect(() => {
    if (!opened) setFile(undefined)
  }, [opened])
  useEffect(() => {
    if (!file) return setPreview(undefined)
    const address = URL.createObjectURL(file)
    setPreview(address)
    return () => URL.revokeObjectURL(address)
  }, [file])
  useEffect(() => {
    // It would replace the preview of the picture that is being sent, and be lost when the dialog closes.
    if (!opened || action.busy) return
    const paste = (event: ClipboardEvent) => {
      const pasted = event.clipboardData?.files[0]
      if (pasted) choose(pasted)
    }
    window.addEventListener('paste', paste)
    return () => window.removeEventListener('paste', paste)
  })

  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={title}
      foot={
        <>
          <Button variant="default" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <ActionButton action={action} disabled={!file} onClick={() => file && void action.start(file)}>
            {t('ui.save')}
          </ActionButton>
        </>
      }
    >
      <DropPlace
        label={t('ui.chooseImage')}
        accept={imageTypes}
        disabled={action.busy}
        className={c.drop}
        onFiles={(files) => choose(files[0])}
      >
        <div className={c.inside}>
          <div className={wide ? c.wide : c.square}>
            {preview ? <img src={preview} alt={t('ui.preview')} onError={() => choose(undefined)} /> : current}
          </div>
          <div>
            <p className={c.lead}>
              <IconPhoto size={20} stroke={1.6} />
              {t('ui.dropImage')}
            </p>
            <p className={c.help}>{t('ui.imageRule')}</p>
          </div>
        </div>
      </DropPlace>
    </Dialog>
  )
}
