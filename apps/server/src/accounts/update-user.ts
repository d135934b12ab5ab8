import { cleanPhone, mustLeaveAnAdmin } from '@vexil/core/accounts'
import { cleanUserName, mustNotLookLike } from '@vexil/core/names'
import { UserNotFound } from '@vexil/core/rules'
import type { Role } from '@vexil/core/vocabulary'
import { audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import { lockLogs } from '../db/lock-logs.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { listAdminNames, named, updateAccount } from './accounts.queries.ts'
import { endSessions } from './sessions.ts'
import { type AccountRow, endLinks, lockWithAdmins } from './users.queries.ts'

/** Absent and null leave a field unchanged; blank clears it. */
export interface UserChanges {
  readonly userName?: string | null
  readonly email?: string | null
  readonly bio?: string | null
  readonly phone?: string | null
  readonly realName?: string | null
  readonly stdNumber?: string | null
  readonly emailConfirmed?: boolean | null
  readonly role?: Role | null
}

export interface Administrator {
  readonly id: string
  readonly userName: string
  readonly ip: string
  readonly token: string
}

/**
 * Changes an account, all fields or none. A new name or address, deactivation, or the end of a ban ends its sessions: during a ban they answer 403.
 * @throws UserNotFound, UserNameInvalid, UserNameCharacters, UserNameTaken, EmailTaken, LastAdmin
 */
export async function updateUser(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  by: Administrator,
  userId: string,
  given: UserChanges,
): Promise<void> {
  const changes = { ...given, ...(given.userName != null && { userName: cleanUserName(given.userName) }) }
  const id = userId.toLowerCase()
  const { old, wanted } = await translated(
    inTransaction(deps.db, async (tx) => {
      // Before the account, which the answers of these games reference.
      if (changes.userName != null) await lockLogs(tx, { accountIds: [id] })
      const { account, others } = await lockWithAdmins(tx, id)
      if (!account) throw new UserNotFound()
      const after = changed(account, changes)
      mustLeaveAnAdmin(asAdmin(account), asAdmin(after), others.map(asAdmin))
      if (after.userName !== account.userName) mustNotLookLike(after.userName, await listAdminNames(tx, id))
      await updateAccount(tx, id, { ...after, ...named(after.userName) })
      if (endsAccess(account, after)) {
        // `by.token` has an effect only on the administrator's own account.
        await endSessions(tx, id, after.active ? by.token : undefined)
        await endLinks(tx, [id])
      }
      return { old: account, wanted: after }
    }),
  )
  deps.bus.publish('security.changed', {})
  const what = describeChanges(old, wanted)
  if (what !== '') audit(deps, by, `Changed user ${old.userName}: ${what}`)
}

const asAdmin = ({ role, active }: { role: string; active: boolean }) => ({ role: role as Role, active })

type Changeable = Pick<AccountRow, 'userName' | 'email' | 'bio' | 'phone' | 'realName' | 'studentNumber' | 'active' | 'role'>

function changed(old: AccountRow, changes: UserChanges): Changeable {
  const email = changes.email ?? old.email
  return {
    userName: changes.userName ?? old.userName,
    email,
    bio: changes.bio ?? old.bio,
    phone: changes.phone == null ? old.phone : cleanPhone(changes.phone),
    realName: changes.realName ?? old.realName,
    studentNumber: changes.stdNumber ?? old.studentNumber,
    active: changes.emailConfirmed ?? (email === old.email && old.active),
    role: changes.role ?? old.role,
  }
}

const endsAccess = (old: AccountRow, after: Changeable): boolean =>
  old.userName !== after.userName ||
  old.email !== after.email ||
  (old.active && !after.active) ||
  (old.role === 'Banned' && after.role !== 'Banned')

/** Personal data: the log contains the field name without the value. */
const withoutValue = new Set<keyof Changeable>(['bio', 'phone', 'realName', 'studentNumber'])

const describeChanges = (old: AccountRow, after: Changeable): string =>
  (Object.keys(after) as (keyof Changeable)[])
    .filter((field) => old[field] !== after[field])
    .map((field) => (withoutValue.has(field) ? field : `${field} ${old[field]} => ${after[field]}`))
    .join(', ')
