/** Storage limit of containers: detects whether the driver enforces it, and otherwise which containers exceed it. */
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as Type from 'typebox'
import { labels } from '../challenge-container.ts'
import { type DockerApi, DockerRefusal, Made } from './docker-api.ts'

const mb = 1_048_576
const measureAttempts = 20
const measurePause = 200

const Volumes = Type.Object({
  Volumes: Type.Union([
    Type.Array(
      Type.Object({
        Name: Type.String(),
        UsageData: Type.Optional(Type.Union([Type.Object({ Size: Type.Number() }), Type.Null()])),
      }),
    ),
    Type.Null(),
  ]),
})
type Volume = NonNullable<Type.Static<typeof Volumes>['Volumes']>[number]

export const Listed = Type.Object({
  Id: Type.String(),
  State: Type.String(),
  Labels: Type.Record(Type.String(), Type.String()),
  /** Bytes written; absent for 0. */
  SizeRw: Type.Optional(Type.Number()),
  Mounts: Type.Array(Type.Object({ Type: Type.String(), Name: Type.Optional(Type.String()) })),
})
export type Listed = Type.Static<typeof Listed>

/** Writes 32 MB into a container of an empty image with a limit of 16 MB, because some drivers accept the option and ignore it. A container left by a crash is found as an ended one. */
export async function limitsStorage(api: DockerApi, installation: string): Promise<boolean> {
  const id = randomUUID()
  const image = `vexil-storage-test:${id}`
  try {
    await api.bytes('POST', '/images/create', { query: { fromSrc: '-', repo: image }, body: Buffer.alloc(1024) })
    const query = { name: `vexil-storage-test-${id}` }
    const Labels = { [labels.installation]: installation, [labels.container]: id, [labels.storage]: '1024' }
    const body = { Image: image, Cmd: ['none'], Labels, HostConfig: { StorageOpt: { size: '16M' } } }
    await api.read(Made, 'POST', '/containers/create', { query, body })
    return await refusesToFill(api, query.name)
  } catch (error) {
    if (error instanceof DockerRefusal) return false
    throw error
  } finally {
    await api.bytes('DELETE', `/images/${image}`, { query: { force: '1' } }).catch(() => undefined)
  }
}

/** Removes the container as well. */
async function refusesToFill(api: DockerApi, name: string): Promise<boolean> {
  try {
    const body = tarOf('content', randomBytes(32 * mb))
    await api.bytes('PUT', `/containers/${name}/archive`, { query: { path: '/' }, body })
    return false
  } catch (error) {
    if (error instanceof DockerRefusal) return /no space left|quota/i.test(error.message)
    throw error
  } finally {
    await api.bytes('DELETE', `/containers/${name}`, { query: { force: '1', v: '1' } }).catch(() => undefined)
  }
}

/** An archive of one file, which everyone may run. */
export function tarOf(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(512)
  const octal = (number: number, digits: number) => number.toString(8).padStart(digits, '0')
  header.write(name, 0)
  header.write(octal(0o755, 7), 100)
  header.write(octal(content.length, 11), 124)
  header.write(' '.repeat(8), 148)
  header.write(
    octal(
      header.reduce((sum, byte) => sum + byte),
      6,
    ),
    148,
  )
  return Buffer.concat([header, content, Buffer.alloc(1024 + ((512 - (content.length % 512)) % 512))])
}

/** Docker ids of containers that exceed their label's limit, including the volumes of the image. */
export async function findOverStorage(api: DockerApi, containers: readonly Listed[]): Promise<Set<string>> {
  const volumes = await sizesOfVolumes(api, containers)
  const used = ({ SizeRw = 0, Mounts }: Listed) => Mounts.reduce((sum, { Name = '' }) => sum + (volumes.get(Name) ?? 0), SizeRw)
  const over = containers.filter((one) => used(one) > Number(one.Labels[labels.storage]) * mb)
  return new Set(over.map(({ Id }) => Id))
}

async function sizesOfVolumes(api: DockerApi, containers: readonly Listed[]): Promise<Map<string, number>> {
  if (!containers.some(({ Mounts }) => Mounts.some(({ Type }) => Type === 'volume'))) return new Map()
  const volumes = await measureVolumes(api)
  return new Map(volumes.map(({ Name, UsageData }) => [Name, UsageData?.Size ?? 0]))
}

/** Docker runs one measurement at a time and refuses others. Returns no sizes if the attempts are used up. */
async function measureVolumes(api: DockerApi): Promise<Volume[]> {
  for (let attempt = 0; attempt < measureAttempts; attempt++)
    try {
      return (await api.read(Volumes, 'GET', '/system/df', { query: { type: 'volume' } })).Volumes ?? []
    } catch (error) {
      if (!(error instanceof DockerRefusal)) throw error
      await sleep(measurePause)
    }
  return []
}
