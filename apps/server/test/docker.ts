/** The Docker engine of the tests (scripts/docker-engine.mjs starts it). */
import { execFileSync } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { type DockerOptions, openDocker } from '../src/ports/engine/docker/docker.ts'
import { type DockerApi, openDockerApi } from '../src/ports/engine/docker/docker-api.ts'
import type { Engine } from '../src/ports/engine/engine.ts'
import { commands, images, imageTag, makeImageRoot } from './container-images.ts'

export { images }

/** Null if the tests have no engine: tests that need one are skipped. */
export const dockerHost = process.env.VEXIL_TEST_DOCKER || null

interface BareApi extends DockerApi {
  call<T>(...asked: Parameters<DockerApi['bytes']>): Promise<T>
}

/** Direct calls to the engine, to check what our driver did; `call` returns the JSON of the answer, null if it is empty. */
export function dockerApi(): BareApi {
  const api = openDockerApi({ host: dockerHost ?? 'unix:///var/run/docker.sock', certs: null })
  return { ...api, call: async (...asked) => JSON.parse((await api.bytes(...asked)).toString() || 'null') }
}

/** Builds the missing images. */
export async function makeImages(api: BareApi): Promise<void> {
  const here = await api.call<{ RepoTags: string[] | null }[]>('GET', '/images/json')
  const known = new Set(here.flatMap(({ RepoTags }) => RepoTags ?? []))
  if (Object.values(images).every((image) => known.has(image))) return
  const folder = makeImageRoot()
  try {
    const body = execFileSync('tar', ['-C', folder, '-c', '.'], { maxBuffer: 64_000_000 })
    for (const [name, command] of Object.entries(commands)) {
      const changes = [`CMD ${JSON.stringify(['sh', '-c', command])}`, ...(name === 'volume' ? ['VOLUME /volume'] : [])]
      const query = { fromSrc: '-', repo: `vexil-test/${name}`, tag: imageTag, changes: changes.join('\n') }
      await api.bytes('POST', '/images/create', { query, body })
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Options of a separate installation with 256 networks that are very unlikely to be used by another test. */
export function dockerOptions(more: Partial<DockerOptions> = {}): DockerOptions {
  return {
    host: dockerHost ?? '',
    certs: null,
    installation: randomUUID(),
    published: false,
    subnets: `100.${64 + randomInt(64)}.${randomInt(32) * 8}.0/21`,
    bind: null,
    deny: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16'],
    registry: null,
    onError: () => undefined,
    ...more,
  }
}

/** Opens an engine, works with it, and leaves nothing of it behind. */
export async function withDocker(more: Partial<DockerOptions>, work: (engine: Engine) => Promise<void>): Promise<void> {
  const engine = await openDocker(dockerOptions(more))
  try {
    await work(engine)
  } finally {
    await clear(engine)
  }
}

/** Destroys all containers of an engine, and closes it. */
export async function clear(engine: Engine): Promise<void> {
  await Promise.all((await engine.list()).map(({ id }) => engine.destroy(id)))
  await engine.close()
}
