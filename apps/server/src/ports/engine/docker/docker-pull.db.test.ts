/** Images from a registry that requires credentials. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commands, makeImageRoot } from '../../../../test/container-images.ts'
import { dockerApi, dockerHost, images, makeImages, withDocker } from '../../../../test/docker.ts'
import { aContainer, talkTo } from '../../../../test/engine.suite.ts'
import { hasRegistry, openRegistry, type TestRegistry } from '../../../../test/registry.ts'

describe.skipIf(dockerHost === null || !hasRegistry)('pulling on Docker', () => {
  const api = dockerApi()
  let registry: TestRegistry
  const pushed: string[] = []

  /** An image that is in the registry and not on the engine. */
  async function aRemoteImage(): Promise<string> {
    const repo = nextName()
    await api.bytes('POST', `/images/${images.echo}/tag`, { query: { repo, tag: 'v1' } })
    return push(repo)
  }
  /** An image whose layer is not on the engine either. */
  async function aLargeImage(): Promise<string> {
    const repo = nextName()
    const folder = makeImageRoot()
    try {
      writeFileSync(join(folder, 'data'), randomBytes(8_000_000))
      const body = execFileSync('tar', ['-C', folder, '-c', '.'], { maxBuffer: 64_000_000 })
      const changes = `CMD ${JSON.stringify(['sh', '-c', commands.echo])}`
      await api.bytes('POST', '/images/create', { query: { fromSrc: '-', repo, tag: 'v1', changes }, body })
    } finally {
      rmSync(folder, { recursive: true })
    }
    return push(repo)
  }
  const nextName = () => `${registry.name}/web/challenge-${pushed.length}`
  async function push(repo: string): Promise<string> {
    const auth = { username: registry.user, password: registry.password }
    const headers = { 'x-registry-auth': Buffer.from(JSON.stringify(auth)).toString('base64') }
    const output = await api.bytes('POST', `/images/${repo}/push`, { query: { tag: 'v1' }, headers })
    expect(output.toString()).not.toContain('"error"')
    pushed.push(`${repo}:v1`)
    await removeImage(`${repo}:v1`)
    return `${repo}:v1`
  }
  const removeImage = (image: string) => api.bytes('DELETE', `/images/${image}`).catch(() => undefined)
  const withRegistry = (password: string) => ({ registry: { ...registry, name: registry.name, password } })

  beforeAll(async () => {
    await makeImages(api)
    registry = await openRegistry()
  })
  afterAll(async () => {
    for (const image of pushed) await removeImage(image)
    registry.close()
  })

  test('with credentials the image is found, pulled once for three concurrent starts, and runs', async () => {
    const image = await aRemoteImage()
    await withDocker(withRegistry(registry.password), async (engine) => {
      expect(await engine.findImage(image)).toBe('registry')
      const specs = Array.from({ length: 3 }, () => aContainer({ image }))
      const places = await Promise.all(specs.map((one) => engine.create(one)))
      expect(await talkTo(places[2]!)).toBe(`${specs[2]!.environment.FLAG}\n`)
      expect(await engine.findImage(image)).toBe('here')
    })
  })

  test('with a wrong password, without one, or with another registry’s credentials it is refused, and nothing is left', async () => {
    const image = await aRemoteImage()
    const elsewhere = { registry: { ...registry, name: 'registry.example.org' } }
    for (const options of [withRegistry('wrong'), { registry: null }, elsewhere])
      await withDocker(options, async (engine) => {
        const refusal = { problem: 'image', message: expect.stringMatching(/auth|denied|unauthori[sz]ed|no basic/i) }
        await expect(engine.pull(image)).rejects.toMatchObject(refusal)
        await expect(engine.findImage(image)).rejects.toMatchObject(refusal)
        await expect(engine.create(aContainer({ image }))).rejects.toMatchObject(refusal)
        expect(await engine.list()).toEqual([])
      })
  })

  test('messages do not contain the credentials', async () => {
    await withDocker(withRegistry('a wrong password'), async (engine) => {
      const error = await engine.pull(`${registry.name}/none:1`).catch((reason) => reason)
      expect(error.message).toContain(`${registry.name}/none:1`)
      expect(error.message).not.toContain('a wrong password')
    })
  })

  test('with a slow image the start reports it and leaves nothing, the pull continues, and the next start runs', async () => {
    const image = await aRemoteImage()
    await withDocker({ ...withRegistry(registry.password), pullPatience: 0 }, async (engine) => {
      const spec = aContainer({ image })
      await expect(engine.create(spec)).rejects.toMatchObject({ problem: 'pulling' })
      expect(await engine.list()).toEqual([])
      // It joins the running pull.
      await engine.pull(image)
      expect(await engine.findImage(image)).toBe('here')
      expect(await talkTo(await engine.create(spec))).toBe(`${spec.environment.FLAG}\n`)
    })
  })

  test('a patient start reports the pull of its image, and runs', async () => {
    const image = await aLargeImage()
    await withDocker({ ...withRegistry(registry.password), pullPatience: 0 }, async (engine) => {
      const seen: [string, number | null][] = []
      const spec = aContainer({ image })
      const watch = {
        waitsForImages: true,
        signal: new AbortController().signal,
        seen: (...one: [string, number | null]) => void seen.push(one),
      }
      expect(await talkTo(await engine.create(spec, watch))).toBe(`${spec.environment.FLAG}\n`)
      expect(seen[0]).toEqual(['pulling', null])
      const percents = seen.flatMap(([phase, percent]) => (phase === 'pulling' && percent !== null ? [percent] : []))
      expect(percents).toEqual(percents.toSorted((a, b) => a - b))
      expect(percents.at(-1)).toBe(99)
      expect(seen.slice(-2).map(([phase]) => phase)).toEqual(['queued', 'creating'])
    })
  })

  test('an image of an unresponsive registry is unavailable', async () => {
    await withDocker({}, async (engine) => {
      await expect(engine.pull('127.0.0.1:9/none:1')).rejects.toMatchObject({ problem: 'image' })
    })
  })

  test('an invalid image name never reaches the engine', async () => {
    await withDocker({}, async (engine) => {
      for (const image of ['', '../../version', 'a b', 'x?force=1']) {
        const refusal = { problem: 'image', message: `"${image}" is not the name of an image` }
        await expect(engine.create(aContainer({ image }))).rejects.toMatchObject(refusal)
        await expect(engine.findImage(image)).rejects.toMatchObject(refusal)
      }
    })
  })
})
