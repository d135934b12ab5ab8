import { cleanPhone } from '@vexil/core/accounts'
import { cleanUserName, mustNotLookLike } from '@vexil/core/names'
import { audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import { lockLogs } from '../db/lock-logs.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { getAccount, listAdminNames, named, updateAccount } from './accounts.queries.ts'
import { endSessions } from './sessions.ts'

/** Absent and null leave a field unchanged; blank clears it. */
export interface ProfileChanges {
  readonly userName?: string | null
  readonly bio?: string | null
  readonly phone?: string | null
  readonly realName?: string | null
  readonly stdNumber?: string | null
}

/** Changes the caller's profile, all fields or none. A new name ends the other sessions. */
export async function updateProfile(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  by: { readonly id: string; readonly ip: string; readonly token: string },
  { userName: typed, bio, phone, realName, stdNumber }: ProfileChanges,
): Promise<void> {
  const userName = typed == null ? null : cleanUserName(typed)
  const before = await translated(
    inTransaction(deps.db, async (tx) => {
      const old = await getAccount(tx, by.id)
      const isNewName = userName !== null && userName !== old.userName
      if (isNewName) {
        // Before the account, which the answers of these games reference.
        await lockLogs(tx, { accountIds: [by.id] })
        mustNotLookLike(userName, await listAdminNames(tx, by.id))
      }
      await updateAccount(tx, by.id, {
        ...(userName !== null && named(userName)),
        ...(bio != null && { bio }),
        ...(phone != null && { phone: cleanPhone(phone) }),
        ...(realName != null && { realName }),
        ...(stdNumber != null && { studentNumber: stdNumber }),
      })
      if (isNewName) await endSessions(tx, by.id, by.token)
      return old.userName
    }),
  )
  if (userName === null || userName === before) return
  deps.bus.publish('security.changed', {})
  audit(deps, { userName, ip: by.ip }, `Name changed: ${before} => ${userName}`)
}
