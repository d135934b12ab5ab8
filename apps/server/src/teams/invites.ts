import { timingSafeEqual } from 'node:crypto'
import { formatInviteCode, parseInviteCode } from '@vexil/core/accounts'
import { TeamInviteInvalid, TeamInviteUnknown, TeamInviteWrong, TeamUnknown } from '@vexil/core/rules'
import { mustBeCaptain } from '@vexil/core/teams'
import { type Actor, audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { newInviteToken } from './create-team.ts'
import { findTeamForUpdate, insertMember } from './teams.queries.ts'

/** The invite code, for the captain. `renew` replaces it; the old one is invalid at once. */
export async function inviteCode(
  { db }: Pick<Deps, 'db'>,
  accountId: string,
  { teamId, renew }: { readonly teamId: number; readonly renew: boolean },
): Promise<string> {
  return inTransaction(db, async (tx) => {
    const team = await findTeamForUpdate(tx, teamId)
    if (!team) throw new TeamUnknown()
    mustBeCaptain(team, accountId)
    const secret = renew ? newInviteToken() : team.inviteToken
    if (renew) await tx.updateTable('teams').set({ inviteToken: secret }).where('id', '=', teamId).execute()
    return formatInviteCode({ name: team.name, teamId, secret })
  })
}

/** Joins the team of an invite code. Its size and lock do not matter; games have separate limits. */
export async function acceptInvite(deps: Pick<Deps, 'db' | 'bus' | 'log'>, by: Actor, code: string): Promise<void> {
  const invite = parseInviteCode(code)
  if (!invite) throw new TeamInviteInvalid()
  const { teamId } = invite
  const name = await translated(
    inTransaction(deps.db, async (tx) => {
      // Locked, so that a code that is renewed concurrently is no longer accepted.
      const team = await findTeamForUpdate(tx, teamId)
      if (!team) throw new TeamInviteUnknown({ name: invite.name })
      if (!timingSafeEqual(Buffer.from(team.inviteToken), Buffer.from(invite.secret))) throw new TeamInviteWrong()
      await insertMember(tx, teamId, by.id)
      return team.name
    }),
  )
  deps.bus.publish('team.changed', { teamId })
  audit(deps, by, `Joined team ${name} (${teamId})`)
}
