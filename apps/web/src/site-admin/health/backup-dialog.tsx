import { Switch, TextInput } from '@mantine/core'
import { downloadBackup } from '@vexil/contract/backup'
import { type FormEvent, useState } from 'react'
import { useErrorText } from '../../ui/base/use-action.ts'
import { useDownload } from '../../ui/base/use-download.ts'
import { FormFoot } from '../../ui/fields/form-foot.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './health.module.css'

/** Asks for the password again, and whether the key belongs in the archive. */
export function BackupDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const [password, setPassword] = useState('')
  const [withKey, setWithKey] = useState(false)
  const [wrong, setWrong] = useState<string>()
  const action = useDownload(
    downloadBackup,
    { body: { password, withKey } },
    {
      onDone: onClose,
      onFail: (refusal) => {
        if (refusal.code !== 'account.old_password_wrong') return false
        setWrong(errorText(refusal))
        return true
      },
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (password === '') return setWrong(t('admin.health.backup.passwordEmpty'))
    void action.start()
  }
  return (
    <Dialog opened onClose={onClose} title={t('admin.health.backup.title')}>
      <form className={c.form} onSubmit={submit} noValidate>
        <p className="dim">{t('admin.health.backup.text')}</p>
        <TextInput
          data-autofocus
          type="password"
          autoComplete="current-password"
          label={t('admin.health.backup.password')}
          value={password}
          error={wrong}
          readOnly={action.busy}
          onChange={(event) => {
            setPassword(event.currentTarget.value)
            setWrong(undefined)
          }}
        />
        <Switch
          label={t('admin.health.backup.withKey')}
          description={t('admin.health.backup.withKeyText')}
          checked={withKey}
          onChange={(event) => setWithKey(event.currentTarget.checked)}
        />
        <FormFoot action={action} onCancel={onClose}>
          {t('admin.health.backup.start')}
        </FormFoot>
      </form>
    </Dialog>
  )
}
