import type { HealthReport } from '@vexil/contract/health'
import table from '../../ui/base/table.module.css'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { When } from '../../ui/time/when.tsx'
import c from './health.module.css'

/** Calls that failed unexpectedly; renders nothing without any, since the checks show that. */
export function FaultTable({ faults }: Pick<HealthReport, 'faults'>) {
  const { t } = useTranslation()
  if (faults.length === 0) return null
  return (
    <section className={c.section} aria-label={t('admin.health.faults')}>
      <h2 className={c.title}>{t('admin.health.faults')}</h2>
      <table className={`${table.table} ${c.table}`}>
        <thead>
          <tr>
            <th scope="col">{t('admin.health.route')}</th>
            <th scope="col" className={c.count}>
              {t('admin.health.count')}
            </th>
            <th scope="col" className={c.last}>
              {t('admin.health.last')}
            </th>
          </tr>
        </thead>
        <tbody>
          {faults.map(({ route, count, lastAt }) => (
            <tr key={route}>
              <td className={`${c.route} mono small`}>{route}</td>
              <td className={`${c.count} num`}>{count}</td>
              <td className={`${c.last} small faint`}>
                <When at={lastAt} style="clock" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
