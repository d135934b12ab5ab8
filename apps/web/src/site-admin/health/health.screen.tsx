import { useQuery } from '@tanstack/react-query'
import { QueryView } from '../../ui/base/states.tsx'
import { healthQuery } from '../site-admin.queries.ts'
import { AdminFrame } from '../site-admin-frame.tsx'
import { CheckTable } from './check-table.tsx'
import { FaultTable } from './fault-table.tsx'
import { HealthSummary } from './health-summary.tsx'
import { NodeTable } from './node-table.tsx'

export default function HealthScreen() {
  const query = useQuery(healthQuery)
  return (
    <AdminFrame tab="health">
      <QueryView query={query}>
        {(report) => (
          <>
            <HealthSummary report={report} />
            <CheckTable checks={report.checks} />
            <NodeTable nodes={report.nodes} />
            <FaultTable faults={report.faults} />
          </>
        )}
      </QueryView>
    </AdminFrame>
  )
}
