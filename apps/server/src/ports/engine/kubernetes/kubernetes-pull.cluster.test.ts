/** Images from a registry that requires credentials, pulled by the node of the cluster. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { listImages, pushImage, removeImage } from '../../../../../../tools/cluster/images.ts'
import { registry as place } from '../../../../../../tools/cluster/parts.ts'
import { images } from '../../../../test/container-images.ts'
import { clear } from '../../../../test/docker.ts'
import { aContainer, talkTo } from '../../../../test/engine.suite.ts'
import { adminApi, openTestKubernetes } from '../../../../test/kubernetes.ts'
import { openRegistry, type TestRegistry } from '../../../../test/registry.ts'
import type { Engine } from '../engine.ts'

let registry: TestRegistry
const pushed: string[] = []
beforeAll(async () => {
  const [address = '', port] = place.split(':')
  registry = await openRegistry(address, Number(port))
})
afterAll(() => {
  for (const name of pushed.filter((name) => listImages().includes(name))) removeImage(name)
  registry.close()
})

/** An image that is in the registry and not on the node. */
function aRemoteImage(): string {
  const name = `${registry.name}/web/challenge-${pushed.length}:v1`
  pushImage(`docker.io/${images.echo}`, name, registry.user, registry.password)
  pushed.push(name)
  return name
}

async function withEngine(
  login: { name: string; user: string; password: string } | null,
  work: (engine: Engine) => Promise<void>,
  installation = randomUUID(),
) {
  const engine = await openTestKubernetes({ registry: login, installation })
  try {
    await work(engine)
  } finally {
    await clear(engine)
  }
}

test('with credentials the image is found, pulled to the node, and runs', async () => {
  const image = aRemoteImage()
  await withEngine(registry, async (engine) => {
    expect(await engine.findImage(image)).toBe('registry')
    expect(await engine.findImage(image)).toBe('here')
    const spec = aContainer({ image })
    expect(await talkTo(await engine.create(spec))).toBe(`${spec.environment.FLAG}\n`)
  })
})

test('a start pulls a missing image', async () => {
  const image = aRemoteImage()
  await withEngine(registry, async (engine) => {
    const spec = aContainer({ image })
    expect(await talkTo(await engine.create(spec))).toBe(`${spec.environment.FLAG}\n`)
  })
})

test('a node without the credentials of the registry pulls as soon as it has them', async () => {
  const [known, image] = [aRemoteImage(), aRemoteImage()]
  const installation = randomUUID()
  await withEngine(
    registry,
    async (engine) => {
      await engine.pull(known)
      const admin = adminApi()
      const ours = { labelSelector: `vexil.installation=${installation}` }
      for (const { metadata } of await admin.list('secrets', ours)) await admin.remove('secrets', metadata.name)
      const spec = aContainer({ image })
      const created = engine.create(spec)
      await vi.waitFor(async () => {
        const [pod] = await admin.list('pods', ours)
        const events = await admin.list('events', { fieldSelector: `involvedObject.name=${pod?.metadata.name}` })
        expect(events.map(({ reason }) => reason)).toContain('FailedToRetrieveImagePullSecret')
        expect(events.map(({ message }) => message).join()).toMatch(/Failed to pull image/)
      }, 60_000)
      // Another process stores them again.
      const other = await openTestKubernetes({ registry, installation })
      await other.pull(known).finally(() => other.close())
      expect(await talkTo(await created)).toBe(`${spec.environment.FLAG}\n`)
    },
    installation,
  )
})

test('with a wrong password, without one, or with another registry’s credentials it is refused, and nothing is left', async () => {
  const image = aRemoteImage()
  const wrong = { ...registry, password: 'wrong' }
  for (const login of [wrong, null, { ...registry, name: 'registry.example.org' }])
    await withEngine(login, async (engine) => {
      const refusal = { problem: 'image', message: expect.stringMatching(/auth|denied|unauthori[sz]ed|no basic/i) }
      await expect(engine.pull(image)).rejects.toMatchObject(refusal)
      await expect(engine.findImage(image)).rejects.toMatchObject(refusal)
      await expect(engine.create(aContainer({ image }))).rejects.toMatchObject(refusal)
      expect(await engine.list()).toEqual([])
    })
})
