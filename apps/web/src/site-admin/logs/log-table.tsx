import type { LogMessage } from '@vexil/contract/live'
import type { TaskStatus } from '@vexil/core/vocabulary'
import { useState } from 'react'
import { numbered } from '../../ui/base/feed-list.ts'
import table from '../../ui/base/table.module.css'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import c from '../list.module.css'
import { logKey } from './log-lines.ts'
import l from './logs.module.css'

interface Props {
  readonly entries: readonly LogMessage[]
  readonly fresh: ReadonlySet<string>
}

export function LogTable({ entries, fresh }: Props) {
  const { t } = useTranslation()
  return (
    <table className={`${table.table} ${table.cards} ${c.table} ${l.table}`}>
      <thead>
        <tr>
          {(['time', 'status', 'user', 'ip', 'message'] as const).map((column) => (
            <th key={column} scope="col" className={l[column]}>
              {t(`admin.logs.column.${column}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {numbered(entries, logKey).map(({ key, entry }) => (
          <Row key={key} entry={entry} fresh={fresh.has(logKey(entry))} />
        ))}
      </tbody>
    </table>
  )
}

const statuses: readonly TaskStatus[] = ['Success', 'Failed', 'Pending', 'Denied', 'Exit', 'NotFound', 'Duplicate']
const isLoud = (level: string | null) => level === 'Warning' || level === 'Error' || level === 'Fatal'

function Row({ entry, fresh }: { readonly entry: LogMessage; readonly fresh: boolean }) {
  const { t } = useTranslation()
  const [whole, setWhole] = useState(false)
  const { time, level, status, name, ip, msg, requestId } = entry
  const known = statuses.find((one) => one === status)
  return (
    <tr data-fresh={fresh || undefined}>
      <td className={`${l.time} small faint`}>
        <When at={time} style="exact" />
      </td>
      <td className={l.status}>
        {known && (
          <span className={c.word}>
            <i className={`${l.dot} ${l[known]}`} />
            {t(`admin.logs.status.${known}`)}
          </span>
        )}
      </td>
      <td className={`${l.user} small`}>
        <span className={`${l.cell} cut`}>{name}</span>
      </td>
      <td className={`${l.ip} small num faint`}>
        <span className={`${l.cell} cut`} title={ip ?? ''}>
          {ip}
        </span>
      </td>
      <td className={l.message}>
        {isLoud(level) && (
          <b className={level === 'Warning' ? l.warning : l.error}>{t(`admin.logs.levels.${level as 'Error'}`)} </b>
        )}
        <button
          type="button"
          className={`${l.text} ${whole ? '' : 'cut'}`}
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
        >
          {msg}
          {whole && requestId !== null && (
            <span className={`${l.request} small faint`}>{t('ui.requestId', { id: requestId })}</span>
          )}
        </button>
      </td>
    </tr>
  )
}
