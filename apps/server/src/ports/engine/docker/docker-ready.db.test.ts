// Waits: for containers.
/** When the service of a container counts as listening, on a real engine: dialled in its network, and through a published port. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { dockerApi, dockerHost, images, makeImages, withDocker } from '../../../../test/docker.ts'
import { aContainer } from '../../../../test/engine.suite.ts'

describe.skipIf(dockerHost === null)('on Docker', () => {
  beforeAll(() => makeImages(dockerApi()))

  /** Lets the service of the image `late` listen. */
  async function go(engineId: string): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'vexil-go-'))
    writeFileSync(join(folder, 'go'), '')
    const body = execFileSync('tar', ['-C', folder, '-c', 'go'])
    rmSync(folder, { recursive: true })
    await dockerApi().bytes('PUT', `/containers/${engineId}/archive`, { query: { path: '/tmp' }, body })
  }

  test.each([
    ['in the network of the container', { published: false }],
    ['in the network of the container, beside a published port', { published: true }],
    ['through a published port only, which docker-proxy accepts from the start', { bind: '127.0.0.1' }],
  ])('a service is asked %s: it listens when it does, and sends its text', async (_, options) => {
    await withDocker(options, async (engine) => {
      const spec = aContainer({ image: images.late })
      const started = await engine.create(spec)
      const place = { ...started, published: null }
      expect([await engine.listens(place, ''), await engine.listens(place, 'flag{')]).toEqual([false, false])
      await go(started.engineId)
      await expect.poll(() => engine.listens(place, ''), { timeout: 20_000 }).toBe(true)
      expect([await engine.listens(place, 'flag{'), await engine.listens(place, 'welcome')]).toEqual([true, false])
    })
  })

  test('through the published port of an engine on another host, docker-proxy is not taken for the service', async () => {
    await withDocker({ published: true }, async (engine) => {
      const started = await engine.create(aContainer({ image: images.late }))
      const far = {
        engineId: started.engineId,
        host: '127.0.0.1',
        port: started.published!.port,
        published: null,
        namedPorts: [],
      }
      expect(await engine.listens(far, '')).toBe(false)
      await go(started.engineId)
      await expect.poll(() => engine.listens(far, ''), { timeout: 20_000 }).toBe(true)
    })
  })
})
