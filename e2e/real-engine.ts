/** The engine of the journeys: the cluster of `npm run tool -- cluster-test`, else the Docker engine of `npm test`, else null. */
import { dockerApi, dockerHost, dockerOptions, makeImages } from '../apps/server/test/docker.ts'
import { denied, hasCluster, kubeconfig } from '../apps/server/test/kubernetes.ts'
import { addresses } from '../tools/cluster/place.ts'

interface RealEngine {
  readonly env: Readonly<Record<string, string>>
  makeImages(): Promise<void>
}

const cluster: RealEngine = {
  env: {
    VEXIL_CONTAINER_PROVIDER: 'Kubernetes',
    VEXIL_CONTAINER_ENTRY: addresses.node,
    VEXIL_KUBERNETES_CONFIG: kubeconfig,
    VEXIL_KUBERNETES_DENY: denied.join(','),
  },
  // tools/cluster/cluster-test.ts makes them.
  makeImages: async () => undefined,
}
const docker: RealEngine = {
  env: {
    VEXIL_CONTAINER_PROVIDER: 'Docker',
    VEXIL_CONTAINER_ENTRY: '127.0.0.1',
    VEXIL_DOCKER_HOST: dockerHost ?? '',
    VEXIL_DOCKER_SUBNETS: dockerOptions().subnets,
  },
  makeImages: () => makeImages(dockerApi()),
}

export const realEngine: RealEngine | null = hasCluster ? cluster : dockerHost === null ? null : docker
