import { Button } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { useState } from 'react'
import { forgetPasswords, type NewPassword, useNewPasswords } from '../../shell/new-passwords.ts'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { AddedUsers } from './added-users.tsx'
import { useCloseSaved } from './use-close-saved.ts'
import u from './users.module.css'

/** Shows generated passwords again until they were copied, downloaded or discarded. */
export function UnsavedPasswords() {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const unsaved = useNewPasswords()
  const [shown, setShown] = useState<readonly NewPassword[]>()
  const close = useCloseSaved(() => setShown(undefined))
  const title = t('shell.passwordsUnsaved', { count: unsaved.length })
  const discard = async () => {
    const text = t('shell.passwordsLost')
    if (await confirm({ title: t('admin.users.discardTitle'), text, confirm: t('admin.users.discard'), harmful: true }))
      forgetPasswords()
  }
  return (
    <>
      {unsaved.length > 0 && (
        <div className={u.unsaved} role="status">
          <IconKey size={18} stroke={1.6} />
          <span>{title}</span>
          <Button size="sm" onClick={() => setShown(unsaved)}>
            {t('admin.users.showAgain')}
          </Button>
          <Button size="sm" variant="default" onClick={() => void discard()}>
            {t('admin.users.discard')}
          </Button>
        </div>
      )}
      {shown && (
        <Dialog opened onClose={() => void close(shown)} title={t('admin.users.newPasswords')} size={960} tall>
          <AddedUsers rows={shown} onDone={() => void close(shown)} />
        </Dialog>
      )}
    </>
  )
}
