import { Button } from '@mantine/core'
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react'
import { keepFile } from '../../api/download.ts'
import { CopyButton } from '../../ui/base/copy.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { passwordSheet, type UserRow } from './user-rows.ts'
import u from './users.module.css'

/** The added accounts with their passwords, which are shown only here. */
export function AddedUsers({ rows, onClose }: { readonly rows: readonly UserRow[]; readonly onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <div className={u.add}>
      <p>{t('admin.users.added', { count: rows.length })}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard */}
      <section className={u.preview} aria-label={t('admin.users.result')} tabIndex={0} data-autofocus>
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
                    <CopyButton text={row.password} label={t('admin.users.copyPasswordOf', { name: row.userName })} />
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
      <p className={u.warns}>
        <IconAlertTriangle size={18} stroke={1.6} />
        {t('admin.users.passwordsOnce')}
      </p>
      <div className={u.line}>
        <Button
          variant="default"
          leftSection={<IconDownload size={18} stroke={1.6} />}
          onClick={() => keepFile(new Blob([passwordSheet(rows)], { type: 'text/csv;charset=utf-8' }), 'accounts.csv')}
        >
          {t('admin.users.download')}
        </Button>
        <Button onClick={onClose}>{t('ui.done')}</Button>
      </div>
    </div>
  )
}
