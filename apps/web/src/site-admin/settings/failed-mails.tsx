import { Button } from '@mantine/core'
import type { MailInfo } from '@vexil/contract/mails'
import table from '../../ui/base/table.module.css'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import c from './mail.module.css'

interface Props {
  readonly mails: readonly MailInfo[]
  readonly total: number
  /** Undefined: one call lists no more. */
  readonly onMore: (() => void) | undefined
}

/** Newest first, each with the message of the mail server. */
export function FailedMails({ mails, total, onMore }: Props) {
  const { t } = useTranslation()
  return (
    <div className={c.failed}>
      <h3 className={c.name}>{t('admin.mail.failed')}</h3>
      <p className={c.help}>{t('admin.mail.failedText')}</p>
      {mails.length === 0 ? (
        <p className="dim">{t('admin.mail.none')}</p>
      ) : (
        <table className={`${table.table} ${c.table}`}>
          <thead>
            <tr>
              <th scope="col" className={c.recipient}>
                {t('admin.mail.recipient')}
              </th>
              <th scope="col">{t('admin.mail.reason')}</th>
              <th scope="col" className={c.when}>
                {t('admin.mail.when')}
              </th>
            </tr>
          </thead>
          <tbody>
            {mails.map((mail) => (
              <tr key={mail.id}>
                <td>
                  <span className={c.break}>{mail.recipient}</span>
                  <span className={c.help}>
                    {t(`admin.mail.kinds.${mail.kind}`)} · {t('admin.mail.attempts', { count: mail.attempts })}
                  </span>
                </td>
                <td className={c.break}>{mail.error}</td>
                <td>
                  <When at={mail.createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {total > mails.length && (
        <div className={c.more}>
          <span className="num">{t('admin.shownOf', { shown: mails.length, total })}</span>
          {onMore && (
            <Button size="sm" variant="default" onClick={onMore}>
              {t('admin.mail.more')}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
