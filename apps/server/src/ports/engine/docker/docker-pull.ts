import { setTimeout as sleep } from 'node:timers/promises'
import * as Type from 'typebox'
import { type Engine, EngineError } from '../engine.ts'
import { type DockerApi, DockerRefusal, Made } from './docker-api.ts'
import { type ImageName, parseImage } from './docker-image.ts'
import { openPullProgress, PullLine } from './docker-pull-progress.ts'

/** Milliseconds. */
const pullTime = 600_000

const InRegistry = Type.Object({ Descriptor: Type.Object({}) })

/** Credentials for one registry; never sent to another. */
export interface Registry {
  /** Without scheme, such as `registry.example.org:5000`; a path is ignored. */
  readonly name: string
  readonly user: string
  readonly password: string
}

export interface DockerImages extends Pick<Engine, 'pull' | 'findImage'> {
  /**
   * Pulls a missing image. `seen` gets the percentage at each change, null while it is unknown. `waitsForEnd`: waits until the pull ends.
   * @throws EngineError unreachable, image, or pulling when that takes longer than `timeoutMs`
   */
  need(image: string, waitsForEnd?: boolean, seen?: (percent: number | null) => void): Promise<void>
}

export function openDockerImages(
  api: DockerApi,
  registry: Registry | null,
  timeoutMs: number,
  onError: (error: unknown) => void,
): DockerImages {
  const pulls = new Map<string, Pull>()

  const isHere = (name: ImageName) =>
    api.read(Made, 'GET', `/images/${pathOf(name)}/json`).then(
      () => true,
      (error) => {
        if (error instanceof DockerRefusal && error.status === 404) return false
        throw asImageError(name, error)
      },
    )
  const begin = (name: ImageName, key: string): Pull => {
    const listening = new Set<(percent: number | null) => void>()
    const pull: Pull = {
      percent: null,
      listening,
      done: fetchImage(api, name, registry, (percent) => {
        if (percent === pull.percent) return
        pull.percent = percent
        for (const one of listening) one(percent)
      }).finally(() => pulls.delete(key)),
    }
    pulls.set(key, pull)
    return pull
  }
  const pull = async (image: string, seen?: (percent: number | null) => void) => {
    const name = nameOf(image)
    const key = pathOf(name)
    const running = pulls.get(key) ?? begin(name, key)
    if (seen) running.listening.add(seen)
    seen?.(running.percent)
    await running.done.catch(async (error: unknown) => {
      // An image that was built on the engine is in no registry.
      if (!(error instanceof EngineError) || error.problem !== 'image' || !(await isHere(name))) throw error
    })
  }
  return {
    pull: (image) => pull(image),
    findImage: async (image) => {
      const name = nameOf(image)
      if (await isHere(name)) return 'here'
      const headers = credentials(name, registry)
      await api.read(InRegistry, 'GET', `/distribution/${pathOf(name)}/json`, { headers }).catch((error) => {
        throw asImageError(name, error)
      })
      return 'registry'
    },
    need: async (image, waitsForEnd = false, seen) => {
      if (await isHere(nameOf(image))) return
      if (waitsForEnd) return pull(image, seen)
      const waiting = new AbortController()
      const late = sleep(timeoutMs, 'late', { signal: waiting.signal })
      const pulled = pull(image, seen)
      const first = await Promise.race([pulled, late]).finally(() => waiting.abort())
      if (first !== 'late') return
      pulled.catch(onError)
      throw new EngineError('pulling', `The image ${image} is being pulled`)
    },
  }
}

interface Pull {
  percent: number | null
  readonly listening: Set<(percent: number | null) => void>
  readonly done: Promise<void>
}

async function fetchImage(
  api: DockerApi,
  name: ImageName,
  registry: Registry | null,
  seen: (percent: number | null) => void,
): Promise<void> {
  const query = { fromImage: name.repository, tag: name.version }
  const headers = credentials(name, registry)
  const options = { query, headers, time: pullTime }
  const progress = openPullProgress()
  const lines = await api
    .readLines(PullLine, 'POST', '/images/create', options, (line) => seen(progress(line)))
    .catch((error) => {
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
