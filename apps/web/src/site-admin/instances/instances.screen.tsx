import { useQuery } from '@tanstack/react-query'
import { QueryView } from '../../ui/base/states.tsx'
import { EngineSection } from '../settings/engine-section.tsx'
import { instancesQuery } from '../site-admin.queries.ts'
import { AdminFrame } from '../site-admin-frame.tsx'
import { InstanceList } from './instance-list.tsx'
import { IsolationSection } from './isolation-section.tsx'

export default function InstancesScreen() {
  const query = useQuery(instancesQuery)
  return (
    <AdminFrame tab="instances">
      <EngineSection />
      <IsolationSection />
      <QueryView query={query}>{({ data }) => <InstanceList instances={data} />}</QueryView>
    </AdminFrame>
  )
}
