import type { HealthReport } from '@vexil/contract/health'
import table from '../../ui/base/table.module.css'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useFormats } from '../../ui/time/time.ts'
import { When } from '../../ui/time/when.tsx'
import c from './health.module.css'

const colours = { Serving: c.ok, Draining: c.warning, Late: c.error } as const

/** Nodes that share the database, in the order of their start. */
export function NodeTable({ nodes }: Pick<HealthReport, 'nodes'>) {
  const { t } = useTranslation()
  const { number } = useFormats()
  if (nodes.length === 0) return null
  return (
    <section className={c.section} aria-label={t('admin.health.nodes')}>
      <h2 className={c.title}>{t('admin.health.nodes')}</h2>
      <table className={`${table.table} ${table.cards} ${c.table}`}>
        <thead>
          <tr>
            <th scope="col" className={c.check}>
              {t('admin.health.node')}
            </th>
            <th scope="col">{t('admin.health.started')}</th>
            <th scope="col">{t('admin.health.seen')}</th>
            <th scope="col" className={c.link}>
              {t('admin.health.state')}
            </th>
          </tr>
        </thead>
        <tbody>
          {nodes.map(({ id, url, version, processes, startedAt, seenAt, state }) => (
            <tr key={id}>
              <td className={c.check}>
                <div className={`${c.route} mono small`}>{url ?? id.slice(0, 8)}</div>
                <div className="small faint">
                  v{version} · {t('admin.health.processes', { count: processes, number: number(processes) })}
                </div>
              </td>
              <td className="small">
                <span className={c.label}>{t('admin.health.started')} </span>
                <When at={startedAt} style="moment" />
              </td>
              <td className="small">
                <span className={c.label}>{t('admin.health.seen')} </span>
                <When at={seenAt} style="clock" />
              </td>
              <td className={`${c.link} ${colours[state]}`}>{t(`admin.health.nodeStates.${state}`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
