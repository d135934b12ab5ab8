/** The Kubernetes cluster of the tests (`npm run tool -- cluster-test` starts one), accessed with the platform's account of the manifests. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type KubernetesOptions, openKubernetes } from '../src/ports/engine/kubernetes/kubernetes.ts'
import { openAccess } from '../src/ports/engine/kubernetes/kubernetes-access.ts'
import { type KubernetesApi, openKubernetesApi } from '../src/ports/engine/kubernetes/kubernetes-api.ts'

const folder = process.env.VEXIL_TEST_KUBERNETES ?? ''
export const hasCluster = folder !== ''
export const kubeconfig = join(folder, 'platform.kubeconfig')
export const namespace = 'vexil-challenges'
/** The ranges of pods, services and nodes of the test cluster, and a private range outside of it. */
export const denied = ['10.0.0.0/8', '198.18.0.0/16']

/** Calls as the administrator of the cluster, to check what our driver did. */
export function adminApi(inNamespace = namespace): KubernetesApi {
  return openKubernetesApi(openAccess(join(folder, 'admin.kubeconfig')), inNamespace)
}

/** Options of a separate installation. */
export function kubernetesOptions(more: Partial<KubernetesOptions> = {}): KubernetesOptions {
  return {
    config: kubeconfig,
    namespace,
    installation: randomUUID(),
    published: false,
    deny: denied,
    pods: [],
    dns: [],
    requests: 0.1,
    registry: null,
    onError: () => undefined,
    ...more,
  }
}

export const openTestKubernetes = (more: Partial<KubernetesOptions> = {}) => openKubernetes(kubernetesOptions(more))
