import type { IsolationAttempt } from '@vexil/contract/instances'
import { containerNetworks, type IsolationResult } from '@vexil/core/vocabulary'
import table from '../../ui/base/table.module.css'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './isolation.module.css'
import { rowsOf } from './isolation.ts'

const tones: Record<IsolationResult, string | undefined> = { refused: c.good, reached: c.bad, untried: 'dim' }

export function IsolationTable({ attempts }: { readonly attempts: readonly IsolationAttempt[] }) {
  const { t } = useTranslation()
  return (
    <table className={`${table.table} ${table.cards} ${c.table}`}>
      <thead>
        <tr>
          <th scope="col">{t('admin.isolation.target')}</th>
          <th scope="col">{t('admin.isolation.address')}</th>
          {containerNetworks.map((network) => (
            <th key={network} scope="col" className={c.result}>
              {t(`admin.challenge.network.${network}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rowsOf(attempts).map(({ target, address, port, results }) => (
          <tr key={`${target} ${address} ${port}`}>
            <td>{t(`admin.isolation.targets.${target}`)}</td>
            <td className="small num">{address === '-' ? `: ${port}` : `${address} : ${port}`}</td>
            {containerNetworks.map((network) => {
              const result = results[network]
              return (
                <td key={network} className="small">
                  <span className={c.label}>{t(`admin.challenge.network.${network}`)}</span>
                  {result ? <span className={tones[result]}>{t(`admin.isolation.results.${result}`)}</span> : '–'}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
