/** The lifecycle of an instance on Kubernetes, with the account of the manifests. */
import { addresses } from '../../../tools/cluster/place.ts'
import type { Pod } from '../src/ports/engine/kubernetes/kubernetes-api.ts'
import { containersSuite } from './containers.suite.ts'
import { adminApi, denied, kubeconfig } from './kubernetes.ts'

interface PodWithLimits extends Omit<Pod, 'spec'> {
  readonly spec: { readonly containers: readonly { readonly resources: { readonly limits: { cpu: string; memory: string } } }[] }
}

containersSuite({
  name: 'Kubernetes',
  env: {
    VEXIL_CONTAINER_PROVIDER: 'Kubernetes',
    VEXIL_KUBERNETES_CONFIG: kubeconfig,
    VEXIL_KUBERNETES_DENY: denied.join(','),
  },
  entry: addresses.node,
  engineId: /^chal-\d+-[a-z0-9]{12}$/,
  // tools/cluster/cluster-test.ts has made them.
  makeImages: async () => undefined,
  kill: (engineId) => adminApi().remove('pods', engineId),
  killedAs: 'removed',
  limitsOf: async (engineId) => {
    const pod = (await adminApi().find('pods', engineId)) as PodWithLimits | null
    const { cpu, memory } = pod!.spec.containers[0]!.resources.limits
    return {
      cpu: Number(cpu.replace('m', '')) / 1000,
      memory: Number(memory.replace('Mi', '')) * 1_048_576,
      challenge: pod!.metadata.labels?.['ctf.challenge'],
    }
  },
})
