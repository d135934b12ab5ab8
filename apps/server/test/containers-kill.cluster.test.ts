/** A node that is killed in the middle of a start, on Kubernetes. */
import { containersKillSuite } from './containers-kill.suite.ts'
import { denied, kubeconfig, openTestKubernetes } from './kubernetes.ts'

containersKillSuite({
  env: {
    VEXIL_CONTAINER_PROVIDER: 'Kubernetes',
    VEXIL_KUBERNETES_CONFIG: kubeconfig,
    VEXIL_KUBERNETES_DENY: denied.join(','),
  },
  // tools/cluster/cluster-test.ts has made them.
  makeImages: async () => undefined,
  open: (installation) => openTestKubernetes({ installation }),
  remainsFor: 15_000,
})
