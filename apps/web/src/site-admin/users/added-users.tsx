import { Button } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'
import { keepFile } from '../../api/download.ts'
import { forgetPasswords, type NewPassword } from '../../shell/new-passwords.ts'
import { CopyButton, useCopy } from '../../ui/base/copy.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { passwordSheet } from './user-rows.ts'
import u from './users.module.css'

interface Props {
  readonly rows: readonly NewPassword[]
  readonly onDone: () => void
}

/** Accounts with their passwords, which the server does not store; saved ones are no longer kept in the tab. */
export function AddedUsers({ rows, onDone }: Props) {
  const { t } = useTranslation()
  return (
    <div className={u.add}>
      <SaveAll rows={rows} onDone={onDone} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard */}
      <section className={u.preview} aria-label={t('admin.users.result')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {(['userName', 'password', 'email', 'teamName'] as const).map((column) => (
                <th key={column} scope="col">
                  {t(`admin.users.columns.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, 100).map((row) => (
              <tr key={row.userName}>
                <td className="cut">{row.userName}</td>
                <td>
                  <span className={u.line}>
                    <code className="mono cut">{row.password}</code>
                    <CopyButton
                      text={row.password}
                      label={t('admin.users.copyPasswordOf', { name: row.userName })}
                      onCopied={() => forgetPasswords([row.userName])}
                    />
                  </span>
                </td>
                <td className="cut">{row.email}</td>
                <td className="cut">{row.teamName}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length > 100 && <p className="small faint">{t('admin.users.moreRows', { count: rows.length - 100 })}</p>}
      </section>
    </div>
  )
}

function SaveAll({ rows, onDone }: Props) {
  const { t } = useTranslation()
  const { copied, copy } = useCopy()
  const names = rows.map(({ userName }) => userName)
  const download = () => {
    keepFile(new Blob([passwordSheet(rows)], { type: 'text/csv;charset=utf-8' }), 'accounts.csv')
    forgetPasswords(names)
  }
  const copyAll = async () => {
    if (await copy(passwordSheet(rows))) forgetPasswords(names)
  }
  const CopyIcon = copied ? IconCheck : IconCopy
  return (
    <>
      <p className={u.warns}>
        <IconAlertTriangle size={18} stroke={1.6} />
        {t('admin.users.passwordsOnce')}
      </p>
      <div className={u.saves}>
        <Button data-autofocus leftSection={<IconDownload size={18} stroke={1.6} />} onClick={download}>
          {t('admin.users.download')}
        </Button>
        <Button variant="default" leftSection={<CopyIcon size={18} stroke={1.6} />} onClick={() => void copyAll()}>
          {t(copied ? 'ui.copied' : 'admin.users.copyAll')}
        </Button>
        <Button variant="default" onClick={onDone}>
          {t('ui.done')}
        </Button>
      </div>
    </>
  )
}
