import { IconAlertCircle, IconCheck } from '@tabler/icons-react'
import { accountLimits } from '@vexil/core/limits'
import { Fragment } from 'react'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import type { Adding } from './use-add-users.ts'
import { type RowFault, type UserRow, userColumns } from './user-rows.ts'
import u from './users.module.css'

interface Props {
  readonly rows: readonly UserRow[]
  /** By row index; shown below the row. */
  readonly faults: readonly (readonly RowFault[])[]
  readonly added: readonly UserRow[]
  readonly refused: Adding['refused']
  /** Passwords are generated when the rows are sent. */
  readonly generate: boolean
}

/** Most rendered rows; invalid ones come first, so that all are visible. */
const drawn = 100

export function UserRowTable({ rows, faults, added, refused, generate }: Props) {
  const { t } = useTranslation()
  const numbered = rows.map((row, i) => ({ row, number: i + 1, wrong: faults[i] ?? [] }))
  const held = ({ row, wrong }: (typeof numbered)[number]) => wrong.length > 0 || row === refused?.row
  const shown = [...numbered].sort((a, b) => Number(held(b)) - Number(held(a))).slice(0, drawn)
  const cell = (row: UserRow, column: (typeof userColumns)[number]) =>
    column === 'password'
      ? row.password === '' && generate
        ? t('admin.users.made')
        : '•'.repeat(Math.min(8, row.password.length))
      : row[column]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled by keyboard
    <section className={u.preview} aria-label={t('admin.users.preview')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('admin.users.row')}</th>
            {userColumns.map((column) => (
              <th key={column} scope="col">
                {t(`admin.users.columns.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ row, number, wrong }) => (
            <Fragment key={number}>
              <tr>
                <td className="num">
                  <Mark number={number} done={added.includes(row)} wrong={wrong.length > 0 || row === refused?.row} />
                </td>
                {userColumns.map((column) => (
                  <td key={column} className={`cut ${wrong.includes(column) ? u.fault : ''}`}>
                    {cell(row, column)}
                  </td>
                ))}
              </tr>
              {(wrong.length > 0 || row === refused?.row) && (
                <tr>
                  <td />
                  <td className={u.problem} colSpan={userColumns.length}>
                    <span>
                      {row === refused?.row
                        ? refused.reason
                        : wrong.map((fault) => t(`admin.users.fault.${fault}`, { min: accountLimits.passwordMin })).join(' ')}
                    </span>
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
      {rows.length > drawn && <p className="small faint">{t('admin.users.moreRows', { count: rows.length - drawn })}</p>}
    </section>
  )
}

function Mark({ number, done, wrong }: { readonly number: number; readonly done: boolean; readonly wrong: boolean }) {
  const { t } = useTranslation()
  return (
    <span style={{ display: 'flex', alignItems: 'center', gap: 4 }}>
      {number}
      {done && <IconCheck size={14} stroke={2} color="var(--ok)" aria-label={t('admin.users.rowAdded')} />}
      {wrong && <IconAlertCircle size={14} stroke={2} color="var(--bad)" aria-hidden />}
    </span>
  )
}
