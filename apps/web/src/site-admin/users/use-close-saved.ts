import { type NewPassword, newPasswords } from '../../shell/new-passwords.ts'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'

/** Closes a dialog at once if all its passwords were saved, else after a confirmation; unsaved ones stay in the tab. */
export function useCloseSaved(onClose: () => void): (shown: readonly Pick<NewPassword, 'userName'>[]) => Promise<void> {
  const { t } = useTranslation()
  const confirm = useConfirm()
  return async (shown) => {
    const names = new Set(shown.map(({ userName }) => userName))
    const count = newPasswords().filter(({ userName }) => names.has(userName)).length
    const title = t('shell.passwordsUnsaved', { count })
    if (count > 0 && !(await confirm({ title, text: t('admin.users.closeText'), confirm: t('ui.close') }))) return
    onClose()
  }
}
