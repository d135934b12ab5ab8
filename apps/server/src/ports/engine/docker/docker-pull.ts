import { setTimeout as sleep } from 'node:timers/promises'
import * as Type from 'typebox'
import { type Engine, EngineError } from '../engine.ts'
import { type DockerApi, DockerRefusal, Made } from './docker-api.ts'
import { type ImageName, parseImage } from './docker-image.ts'

/** Milliseconds. */
const pullTime = 600_000

const InRegistry = Type.Object({ Descriptor: Type.Object({}) })
const PullLine = Type.Object({ error: Type.Optional(Type.String()) })

/** Credentials for one registry; never sent to another. */
export interface Registry {
  /** Without scheme, such as `registry.example.org:5000`; a path is ignored. */
  readonly name: string
  readonly user: string
  readonly password: string
}

export interface DockerImages extends Pick<Engine, 'pull' | 'findImage'> {
  /** Pulls a missing image. @throws EngineError away, image, or pulling when that takes longer than `patience` */
  need(image: string): Promise<void>
}

export function openDockerImages(
  api: DockerApi,
  registry: Registry | null,
  patience: number,
  onError: (error: unknown) => void,
): DockerImages {
  const pulls = new Map<string, Promise<void>>()

  const isHere = (name: ImageName) =>
    api.read(Made, 'GET', `/images/${pathOf(name)}/json`).then(
      () => true,
      (error) => {
        if (error instanceof DockerRefusal && error.status === 404) return false
        throw asImageError(name, error)
      },
    )
  const pull = async (image: string) => {
    const name = nameOf(image)
    const key = pathOf(name)
    const running = pulls.get(key) ?? fetchImage(api, name, registry).finally(() => pulls.delete(key))
    pulls.set(key, running)
    await running.catch(async (error: unknown) => {
      // An image that was built on the engine is in no registry.
      if (!(error instanceof EngineError) || error.problem !== 'image' || !(await isHere(name))) throw error
    })
  }
  return {
    pull,
    findImage: async (image) => {
      const name = nameOf(image)
      if (await isHere(name)) return 'here'
      const headers = credentials(name, registry)
      await api.read(InRegistry, 'GET', `/distribution/${pathOf(name)}/json`, { headers }).catch((error) => {
        throw asImageError(name, error)
      })
      return 'registry'
    },
    need: async (image) => {
      if (await isHere(nameOf(image))) return
      const waiting = new AbortController()
      const late = sleep(patience, 'late', { signal: waiting.signal })
      const pulled = pull(image)
      const first = await Promise.race([pulled, late]).finally(() => waiting.abort())
      if (first !== 'late') return
      pulled.catch(onError)
      throw new EngineError('pulling', `The image ${image} is being pulled`)
    },
  }
}

async function fetchImage(api: DockerApi, name: ImageName, registry: Registry | null): Promise<void> {
  const query = { fromImage: name.repository, tag: name.version }
  const headers = credentials(name, registry)
  const lines = await api.readLines(PullLine, 'POST', '/images/create', { query, headers, time: pullTime }).catch((error) => {
    throw asImageError(name, error)
  })
  // The status is sent before the pull begins, so errors are in the lines.
  const failure = lines.map(({ error }) => error).find(Boolean)
  if (failure) throw new EngineError('image', `The image ${pathOf(name)} cannot be pulled: ${failure}`)
}

function credentials(name: ImageName, registry: Registry | null): Record<string, string> {
  if (registry === null || name.registry !== registry.name.split('/')[0]) return {}
  const auth = { username: registry.user, password: registry.password, serveraddress: name.registry }
  // Docker requires URL-safe Base64 with padding.
  const encoded = Buffer.from(JSON.stringify(auth)).toString('base64').replaceAll('+', '-').replaceAll('/', '_')
  return { 'x-registry-auth': encoded }
}

function nameOf(image: string): ImageName {
  const name = parseImage(image)
  if (name) return name
  throw new EngineError('image', `"${image.slice(0, 200)}" is not the name of an image`)
}

function pathOf({ repository, version }: ImageName): string {
  return `${repository}${version.includes(':') ? '@' : ':'}${version}`
}

function asImageError(name: ImageName, error: unknown): unknown {
  if (!(error instanceof DockerRefusal)) return error
  return new EngineError('image', `The image ${pathOf(name)} is not available: ${error.message}`)
}
