import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { forgetPasswords, type NewPassword } from '../../shell/new-passwords.ts'
import { CopyButton } from '../../ui/base/copy.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useCloseSaved } from './use-close-saved.ts'
import u from './users.module.css'

/** A generated password, which the server does not store. Closing asks until it was copied. */
export function PasswordOnce({ onClose, ...one }: NewPassword & { readonly onClose: () => void }) {
  const { t } = useTranslation()
  const close = useCloseSaved(onClose)
  return (
    <Dialog
      opened
      onClose={() => void close([one])}
      title={t('admin.users.newPassword', { name: one.userName })}
      foot={<Button onClick={() => void close([one])}>{t('ui.done')}</Button>}
    >
      <p className={u.secret}>
        <code className="mono">{one.password}</code>
        <CopyButton
          text={one.password}
          label={t('admin.users.copyPassword')}
          size="md"
          onCopied={() => forgetPasswords([one.userName])}
        />
      </p>
      <p className={u.warns}>
        <IconAlertTriangle size={18} stroke={1.6} />
        {t('admin.users.passwordOnce')}
      </p>
    </Dialog>
  )
}
