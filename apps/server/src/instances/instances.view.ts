import type { ContainerInstance } from '@vexil/contract/instances'
import { containerInfo } from '../challenges/container-info.ts'
import { imageUrl } from '../files/store-image.ts'
import type { ListedInstance } from './instances.queries.ts'

/** For administrators: the public address if there is one, else the address that the platform uses. */
export function instanceView(row: ListedInstance, config: Parameters<typeof containerInfo>[2]): ContainerInstance {
  const { startedAt, expectStopAt, readiness } = containerInfo(row, { ...row, endsAt: row.endsAt.getTime() }, config)
  return {
    team: { id: row.teamId, name: row.teamName, avatar: imageUrl(row.avatarHash) },
    challenge: { id: row.challengeId, title: row.title, category: row.category },
    image: row.image,
    containerGuid: row.id,
    containerId: row.engineId ?? '',
    startedAt,
    expectStopAt,
    ip: row.publishedPort === null ? (row.host ?? '') : (row.publishedHost ?? config.containerEntry),
    port: row.publishedPort ?? row.port ?? 0,
    // The service of one that is being destroyed is not awaited.
    readiness: row.state === 'Running' ? readiness : 'ready',
  }
}
