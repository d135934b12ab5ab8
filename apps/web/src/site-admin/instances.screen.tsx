import { useQuery } from '@tanstack/react-query'
import { QueryView } from '../ui/states.tsx'
import { EngineSection } from './engine-section.tsx'
import { InstanceList } from './instance-list.tsx'
import { instancesQuery } from './site-admin.queries.ts'
import { AdminFrame } from './site-admin-frame.tsx'

export default function InstancesScreen() {
  const query = useQuery(instancesQuery)
  return (
    <AdminFrame tab="instances">
      <EngineSection />
      <QueryView query={query}>{({ data }) => <InstanceList instances={data} />}</QueryView>
    </AdminFrame>
  )
}
