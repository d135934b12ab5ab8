import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { CopyButton } from '../../ui/base/copy.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import u from './users.module.css'

export interface NewPassword {
  readonly userName: string
  readonly password: string
}

/** A generated password, which is not stored and is lost when the dialog closes. */
export function PasswordOnce({ userName, password, onClose }: NewPassword & { readonly onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('admin.users.newPassword', { name: userName })}
      foot={<Button onClick={onClose}>{t('ui.done')}</Button>}
    >
      <p className={u.secret}>
        <code className="mono">{password}</code>
        <CopyButton text={password} label={t('admin.users.copyPassword')} size="md" />
      </p>
      <p className={u.warns}>
        <IconAlertTriangle size={18} stroke={1.6} />
        {t('admin.users.passwordOnce')}
      </p>
    </Dialog>
  )
}
