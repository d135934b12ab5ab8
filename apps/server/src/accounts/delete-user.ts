import { mustLeaveAnAdmin } from '@vexil/core/accounts'
import { OwnAccount, UserIsCaptain, UserNotFound } from '@vexil/core/rules'
import type { Role } from '@vexil/core/vocabulary'
import { type Actor, audit } from '../audit.ts'
import { lockLogs } from '../db/lock-logs.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { releaseFiles } from '../files/release-file.ts'
import { listRegistrationsOf, listTeamsOf, lockForDeletion, lockWithAdmins, ownsTeam } from './users.queries.ts'

/** Deletes an account; its submissions, solves, events and posts remain. @throws OwnAccount, UserNotFound, UserIsCaptain, LastAdmin */
export async function deleteUser(
  deps: Pick<Deps, 'db' | 'bus' | 'log' | 'storage' | 'onError'>,
  by: Actor,
  userId: string,
): Promise<void> {
  const id = userId.toLowerCase()
  if (id === by.id) throw new OwnAccount()
  const { userName, avatarHash, teams, registered } = await inTransaction(deps.db, async (tx) => {
    await lockLogs(tx, { accountIds: [id] })
    const { account, others } = await lockWithAdmins(tx, id)
    if (!account) throw new UserNotFound()
    // A transaction that creates a team waits for this row, so the account cannot become a captain.
    await lockForDeletion(tx, id)
    if (await ownsTeam(tx, id)) throw new UserIsCaptain()
    const asAdmin = ({ role, active }: { role: string; active: boolean }) => ({ role: role as Role, active })
    mustLeaveAnAdmin(asAdmin(account), null, others.map(asAdmin))
    const teams = await listTeamsOf(tx, id)
    const registered = await listRegistrationsOf(tx, id)
    await tx.deleteFrom('accounts').where('id', '=', id).execute()
    return { ...account, teams, registered }
  })
  deps.bus.publish('security.changed', {})
  for (const team of teams) deps.bus.publish('team.changed', team)
  for (const participation of registered) deps.bus.publish('participation.changed', participation)
  audit(deps, by, `Deleted user ${userName} (${id})`)
  await releaseFiles(deps, [avatarHash])
}
