import { extended } from '@vexil/core/instances'
import { ChallengeHasNoContainer, ContainerNotRunning } from '@vexil/core/rules'
import { hasContainer } from '@vexil/core/vocabulary'
import { sql } from 'kysely'
import { containerInfo, findContainer } from '../challenges/container-info.ts'
import { enterChallenge } from '../challenges/open-challenge.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import type { InstanceCall } from './start-instance.ts'

/** Moves the end of a running instance. @throws as enterChallenge, ChallengeHasNoContainer, as extended */
export async function extendInstance(
  deps: Pick<Deps, 'db' | 'bus' | 'log' | 'settings' | 'config'>,
  { gameId, challengeId, by }: InstanceCall,
) {
  const { challenge, participationId, game } = await enterChallenge(deps, { gameId, challengeId, accountId: by.id })
  if (!hasContainer(challenge.type)) throw new ChallengeHasNoContainer()
  const policy = deps.settings.get()
  const row = await inTransaction(deps.db, async (tx) => {
    const { rows } = await sql<{ now: number }>`
      select extract(epoch from clock_timestamp())::float8 * 1000 as now from containers
      where participation_id = ${participationId} and challenge_id = ${challengeId} and state = 'Running'
      for no key update`.execute(tx)
    // Read after the lock, so that the second of two concurrent extensions finds the new end.
    const instance = await findContainer(tx, { challengeId, participationId })
    if (!rows[0] || !instance?.stopsAt) throw new ContainerNotRunning()
    const stopsAt = extended(
      { state: instance.state, stopsAt: instance.stopsAt.getTime() },
      game,
      {
        extensionDuration: policy['ContainerPolicy:ExtensionDuration'],
        renewalWindow: policy['ContainerPolicy:RenewalWindow'],
      },
      rows[0].now,
    )
    const moved = new Date(stopsAt)
    await tx.updateTable('containers').set({ stopsAt: moved }).where('id', '=', instance.id).execute()
    return { ...instance, stopsAt: moved }
  })
  deps.bus.publish('instance.changed', { gameId, challengeId, participationId })
  return containerInfo(row, game, deps.config)
}
