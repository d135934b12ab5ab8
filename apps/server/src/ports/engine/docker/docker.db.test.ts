// Waits: for containers.
/** On a real engine: `npm test` starts one, VEXIL_TEST_DOCKER names another. */
import { afterAll, beforeAll, describe } from 'vitest'
import { clear, dockerApi, dockerHost, dockerOptions, images, makeImages } from '../../../../test/docker.ts'
import { engineSuite } from '../../../../test/engine.suite.ts'
import type { Engine } from '../engine.ts'
import { openDocker } from './docker.ts'

describe.skipIf(dockerHost === null)('an engine on Docker', () => {
  const open: Record<string, Engine> = {}
  beforeAll(async () => {
    await makeImages(dockerApi())
    const options = dockerOptions()
    open.proxied = await openDocker(options)
    open.published = await openDocker({ ...options, published: true })
    open.neighbour = await openDocker(dockerOptions())
  })
  afterAll(async () => {
    for (const engine of Object.values(open)) await clear(engine)
  })
  const scene = (mode: string) => async () => ({
    engine: open[mode]!,
    neighbour: open.neighbour!,
    images: { ...images, missing: '127.0.0.1:9/missing:1' },
  })

  describe('behind the platform proxy', () => engineSuite(scene('proxied')))
  describe('with published ports', () => engineSuite(scene('published')))
})
