import { randomInt } from 'node:crypto'
import { generatePassword } from '@vexil/core/accounts'
import { UserNotFound } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { updateAccount } from './accounts.queries.ts'
import { hashPassword } from './passwords.ts'
import { endAccess, findUser } from './users.queries.ts'

/** Sets a random password, ends the account's sessions and links, and returns the password, which is not stored. @throws UserNotFound */
export async function resetUserPassword(deps: Pick<Deps, 'db' | 'bus' | 'log'>, by: Actor, userId: string): Promise<string> {
  if (!(await findUser(deps.db, userId))) throw new UserNotFound()
  const password = generatePassword((n) => randomInt(n))
  const passwordHash = await hashPassword(password, by.id)
  const { userName } = await inTransaction(deps.db, async (tx) => {
    const account = await findUser(tx, userId)
    if (!account) throw new UserNotFound()
    await updateAccount(tx, userId, { passwordHash })
    await endAccess(tx, [userId])
    return account
  })
  deps.bus.publish('security.changed', {})
  audit(deps, by, `Reset the password of ${userName}`)
  return password
}
