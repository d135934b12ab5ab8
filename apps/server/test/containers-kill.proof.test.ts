/** A node that is killed in the middle of a start, on Docker. */
import { describe } from 'vitest'
import { openDocker } from '../src/ports/engine/docker/docker.ts'
import { containersKillSuite } from './containers-kill.suite.ts'
import { dockerApi, dockerHost, dockerOptions, makeImages } from './docker.ts'

describe.skipIf(dockerHost === null)('on Docker', () => {
  const options = dockerOptions()
  containersKillSuite({
    env: {
      VEXIL_CONTAINER_PROVIDER: 'Docker',
      VEXIL_DOCKER_HOST: dockerHost ?? '',
      VEXIL_DOCKER_SUBNETS: options.subnets,
    },
    makeImages: () => makeImages(dockerApi()),
    open: (installation) => openDocker({ ...options, installation }),
  })
})
