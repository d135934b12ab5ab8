import { TeamNotFound } from '@vexil/core/rules'
import { mustBeCaptain } from '@vexil/core/teams'
import { type Actor, audit } from '../audit.ts'
import type { Db } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { releaseFiles } from '../files/release-file.ts'
import { avatarUse, storeImage } from '../files/store-image.ts'
import { findTeam, findTeamForUpdate } from './teams.queries.ts'

/** Checked before the upload is read. @throws TeamNotFound, NotCaptain */
export async function mustOwnTeam(db: Db, teamId: number, accountId: string): Promise<void> {
  const team = await findTeam(db, teamId)
  if (!team) throw new TeamNotFound()
  mustBeCaptain(team, accountId)
}

/** Stores the picture and releases the old one. Returns the URL of the new one. */
export async function changeTeamAvatar(
  deps: Pick<Deps, 'db' | 'bus' | 'storage' | 'log' | 'onError'>,
  by: Actor,
  teamId: number,
  bytes: Buffer,
): Promise<string> {
  let old: string | null = null
  const { hash, url } = await storeImage(deps, bytes, avatarUse, async (tx, avatarHash) => {
    const team = await findTeamForUpdate(tx, teamId)
    if (!team) throw new TeamNotFound()
    mustBeCaptain(team, by.id)
    old = team.avatarHash
    await tx.updateTable('teams').set({ avatarHash }).where('id', '=', teamId).execute()
  })
  deps.bus.publish('team.changed', { teamId })
  const message = `Avatar of team ${teamId} changed: ${hash.slice(0, 8)}`
  audit(deps, by, message)
  await releaseFiles(deps, [old])
  return url
}
