import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react'
import type { HealthCheckName, HealthReport } from '@vexil/contract/health'
import { Link } from 'react-router'
import { paths } from '../../shell/paths.ts'
import table from '../../ui/base/table.module.css'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './health.module.css'

type Check = HealthReport['checks'][number]

const icons = { ok: IconCircleCheck, warning: IconAlertTriangle, error: IconCircleX } as const

export function LevelIcon({ level }: Pick<Check, 'level'>) {
  const Icon = icons[level]
  return (
    <span className={c[level]}>
      <Icon size={20} stroke={1.6} />
    </span>
  )
}

/** Where each check is shown or changed: the screen with the link's text, and the target address. */
const links: Record<HealthCheckName, readonly [screen: 'settings' | 'instances' | 'logs', to: string]> = {
  settings: ['settings', paths.admin.server],
  database: ['logs', paths.admin.warningLogs],
  clock: ['logs', paths.admin.warningLogs],
  disk: ['settings', paths.admin.files],
  files: ['settings', paths.admin.files],
  mail: ['settings', paths.admin.mail],
  captcha: ['settings', paths.admin.captcha],
  engine: ['instances', paths.admin.instances],
  backup: ['logs', paths.admin.warningLogs],
  proxy: ['settings', paths.admin.server],
  faults: ['logs', paths.admin.errorLogs],
}

const order = { error: 0, warning: 1, ok: 2 } as const

/** The worst first. */
export function CheckTable({ checks }: { readonly checks: readonly Check[] }) {
  const { t } = useTranslation()
  return (
    <table className={`${table.table} ${table.cards} ${c.table}`}>
      <thead>
        <tr>
          <th scope="col" className={c.check}>
            {t('admin.health.check')}
          </th>
          <th scope="col">{t('admin.health.state')}</th>
          <th scope="col" className={c.link}>
            {t('admin.health.open')}
          </th>
        </tr>
      </thead>
      <tbody>
        {checks
          .toSorted((a, b) => order[a.level] - order[b.level])
          .map((check) => (
            <Row key={`${check.name} ${check.text}`} check={check} />
          ))}
      </tbody>
    </table>
  )
}

function Row({ check: { name, level, text, fix } }: { readonly check: Check }) {
  const { t } = useTranslation()
  const [screen, to] = links[name]
  return (
    <tr>
      <td className={c.check}>
        <span className={c.part}>
          <LevelIcon level={level} />
          <span>
            {t(`admin.health.names.${name}`)}{' '}
            <span className={level === 'ok' ? 'unseen' : `small ${c[level]}`}>{t(`admin.health.levels.${level}`)}</span>
          </span>
        </span>
      </td>
      <td className={c.state}>
        <p>{text}</p>
        {fix !== null && <p className={c.fix}>{fix}</p>}
      </td>
      <td className={c.link}>
        <Link className="link" to={to}>
          {t(`admin.tabs.${screen}`)}
        </Link>
      </td>
    </tr>
  )
}
