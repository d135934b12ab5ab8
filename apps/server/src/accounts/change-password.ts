import { mustBeGoodPassword } from '@vexil/core/accounts'
import { OldPasswordWrong } from '@vexil/core/rules'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { getAccount } from './accounts.queries.ts'
import { hashPassword, isPassword } from './passwords.ts'
import { endSessions, startSession } from './sessions.ts'

/** Changes the own password. All sessions end at once; returns the token of the caller's new one. */
export async function changePassword(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  by: { readonly id: string; readonly userName: string; readonly ip: string },
  { old, new: wanted }: { readonly old: string; readonly new: string },
): Promise<string> {
  mustBeGoodPassword(wanted)
  const { passwordHash } = await getAccount(deps.db, by.id)
  if (!(await isPassword(passwordHash, old))) throw new OldPasswordWrong()
  const newHash = await hashPassword(wanted)
  const token = await inTransaction(deps.db, async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('accounts')
      .set({ passwordHash: newHash })
      .where('id', '=', by.id)
      // Somebody else may have changed it while ours was hashed.
      .where('passwordHash', '=', passwordHash)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw new OldPasswordWrong()
    await endSessions(tx, by.id)
    return startSession(tx, by.id)
  })
  deps.bus.publish('security.changed', {})
  deps.log.write({ status: 'Success', name: by.userName, ip: by.ip, message: 'Password changed' })
  return token
}
