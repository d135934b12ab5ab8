/** Many teams at once, and an engine that is unreachable for a while, on Docker. */
import { describe } from 'vitest'
import { openDocker } from '../src/ports/engine/docker/docker.ts'
import { containersCrowdSuite } from './containers-crowd.suite.ts'
import { dockerApi, dockerHost, dockerOptions, makeImages } from './docker.ts'
import { openEngineDoor } from './engine-door.ts'

describe.skipIf(dockerHost === null)('on Docker', () => {
  const options = dockerOptions()
  containersCrowdSuite({
    patience: 240_000,
    makeImages: () => makeImages(dockerApi()),
    async openDoor() {
      const { host, turn, close } = await openEngineDoor(dockerHost as string)
      const env = {
        VEXIL_CONTAINER_PROVIDER: 'Docker',
        VEXIL_CONTAINER_ENTRY: '127.0.0.1',
        VEXIL_DOCKER_HOST: host,
        VEXIL_DOCKER_SUBNETS: options.subnets,
      }
      return { env, turn: async (state) => turn(state), close: async () => close() }
    },
    open: (installation) => openDocker({ ...options, published: true, installation }),
    kill: (engineId) => dockerApi().call('POST', `/containers/${engineId}/kill`),
  })
})
