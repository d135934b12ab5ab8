/** Many teams at once, and an API server that is away for a while, on Kubernetes. */
import { vi } from 'vitest'
import { killContainer } from '../../../tools/cluster/images.ts'
import { parts } from '../../../tools/cluster/parts.ts'
import { addresses } from '../../../tools/cluster/place.ts'
import { apiAnswers, isAlive, signalPart, spawnPart } from '../../../tools/cluster/processes.ts'
import { containersCrowdSuite, type Door } from './containers-crowd.suite.ts'
import { denied, kubeconfig, openTestKubernetes } from './kubernetes.ts'

const api = 'kube-apiserver'
const turns: Readonly<Record<Parameters<Door['turn']>[0], () => Promise<void>>> = {
  silent: async () => signalPart(api, 'SIGSTOP'),
  refusing: async () => signalPart(api, 'SIGKILL'),
  async open() {
    if (isAlive(api)) signalPart(api, 'SIGCONT')
    else spawnPart(parts.find(({ name }) => name === api)!)
    await vi.waitUntil(apiAnswers, { timeout: 60_000, interval: 250 })
  },
}

containersCrowdSuite({
  patience: 480_000,
  // tools/cluster/cluster-test.ts did it.
  makeImages: async () => undefined,
  openDoor: async () => ({
    env: {
      VEXIL_CONTAINER_PROVIDER: 'Kubernetes',
      VEXIL_CONTAINER_ENTRY: addresses.node,
      VEXIL_KUBERNETES_CONFIG: kubeconfig,
      VEXIL_KUBERNETES_DENY: denied.join(','),
    },
    turn: (state) => turns[state](),
    close: turns.open,
  }),
  open: (installation) => openTestKubernetes({ installation, published: true }),
  kill: async (engineId) => killContainer(engineId),
})
