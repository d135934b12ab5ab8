// Waits: for containers.
/** The lifecycle of an instance on Docker. */
import { describe } from 'vitest'
import { containersSuite } from './containers.suite.ts'
import { dockerApi, dockerHost, dockerOptions, makeImages } from './docker.ts'

interface Inspected {
  readonly HostConfig: { readonly NanoCpus: number; readonly Memory: number; readonly MemorySwap: number }
  readonly Config: { readonly Labels: Readonly<Record<string, string>> }
}

describe.skipIf(dockerHost === null)('instances', () => {
  containersSuite({
    name: 'Docker',
    env: {
      VEXIL_CONTAINER_PROVIDER: 'Docker',
      VEXIL_DOCKER_HOST: dockerHost ?? '',
      VEXIL_DOCKER_SUBNETS: dockerOptions().subnets,
    },
    entry: '127.0.0.1',
    engineId: /^[0-9a-f]{64}$/,
    makeImages: () => makeImages(dockerApi()),
    kill: (engineId) => dockerApi().call('POST', `/containers/${engineId}/kill`),
    killedAs: 'exit',
    limitsOf: async (engineId) => {
      const { HostConfig, Config } = await dockerApi().call<Inspected>('GET', `/containers/${engineId}/json`)
      // Equal values: no swap.
      if (HostConfig.MemorySwap !== HostConfig.Memory) throw new Error('it may swap')
      return { cpu: HostConfig.NanoCpus / 1e9, memory: HostConfig.Memory, challenge: Config.Labels['ctf.challenge'] }
    },
  })
})
