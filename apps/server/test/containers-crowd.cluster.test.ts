/** Many teams at once, and an API server that is unreachable for a while, on Kubernetes. */
import { vi } from 'vitest'
import { killContainer } from '../../../tools/cluster/images.ts'
import { parts } from '../../../tools/cluster/parts.ts'
import { addresses } from '../../../tools/cluster/place.ts'
import { apiAnswers, isAlive, signalPart, spawnPart } from '../../../tools/cluster/processes.ts'
import { images } from './container-images.ts'
import { containersCrowdSuite, type Door } from './containers-crowd.suite.ts'
import { clear } from './docker.ts'
import { aContainer, talkTo } from './engine.suite.ts'
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

/** While the API server is unreachable, the other parts of the cluster retry with increasing pauses, which would affect the next file. */
async function untilInstancesAnswer(): Promise<void> {
  const engine = await openTestKubernetes({ published: true })
  const { published } = await engine.create(aContainer({ image: images.echo }))
  const place = { host: addresses.node, port: published!.port }
  await vi.waitFor(() => talkTo(place, '', 1_000), { timeout: 60_000, interval: 500 })
  await clear(engine)
}

containersCrowdSuite({
  patience: 480_000,
  // tools/cluster/cluster-test.ts has made them.
  makeImages: async () => undefined,
  openDoor: async () => ({
    env: {
      VEXIL_CONTAINER_PROVIDER: 'Kubernetes',
      VEXIL_CONTAINER_ENTRY: addresses.node,
      VEXIL_KUBERNETES_CONFIG: kubeconfig,
      VEXIL_KUBERNETES_DENY: denied.join(','),
    },
    turn: (state) => turns[state](),
    async close() {
      await turns.open()
      await untilInstancesAnswer()
    },
  }),
  open: (installation) => openTestKubernetes({ installation, published: true }),
  kill: async (engineId) => killContainer(engineId),
})
