import type { NewUser } from '@vexil/contract/users'
import { cleanPhone, foldCase } from '@vexil/core/accounts'
import { cleanTeamName, cleanUserName, mustNotLookLike, nameKey } from '@vexil/core/names'
import { BatchRowRefused, EmailTaken, RuleError, TeamAlreadyOwned, UserIsAdmin, UserNameTaken } from '@vexil/core/rules'
import { type Actor, audit } from '../audit.ts'
import { translated } from '../db/constraints.ts'
import { lockLogs } from '../db/lock-logs.ts'
import { type Db, inTransaction, type Tx } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { listAdminNames, named } from './accounts.queries.ts'
import { newId } from './ids.ts'
import { hashPassword } from './passwords.ts'
import { endAccess, insertUsers, type KnownAccount, listKnown, updateUsers } from './users.queries.ts'

/** Creates the teams of a batch and returns their numbers. */
export type MakeTeams = (
  tx: Tx,
  teams: readonly { readonly name: string; readonly captainId: string; readonly memberIds: readonly string[] }[],
) => Promise<number[]>

interface Batch {
  readonly rows: readonly NewUser[]
  readonly by: Actor
  readonly describe: (refusal: RuleError) => string
}

/** Maximum of queued hashes: logins use the same queue. */
const hashesAtOnce = 8

/**
 * Adds active accounts with role User or updates those with the same name or address, except administrators; all rows or none. Rows with the same
 * team name share a new team, whose captain is the first.
 * @throws BatchRowRefused with the number of the first invalid row; UserNameTaken on a concurrent batch
 */
export async function addUsers(
  deps: Pick<Deps, 'db' | 'bus' | 'log'>,
  { rows, by, describe }: Batch,
  makeTeams: MakeTeams,
): Promise<void> {
  const renamed = (await planBatch(deps.db, rows, describe)).filter(({ isRenamed }) => isRenamed).map(({ id }) => id)
  const hashes = await hashAll(rows, by.id)
  const { added, updated, teamIds } = await translated(
    inTransaction(deps.db, async (tx) => {
      // Before the accounts, which the answers of these games reference.
      if (renamed.length > 0) await lockLogs(tx, { accountIds: renamed })
      const plan = (await planBatch(tx, rows, describe)).map((planned, i) => ({ ...planned, passwordHash: hashes[i] as string }))
      const known = plan.filter((planned) => planned.known)
      const fresh = plan.filter((planned) => !planned.known)
      await insertUsers(tx, fresh.map(newAccount))
      await updateUsers(tx, known.map(changedAccount))
      await endAccess(
        tx,
        known.map(({ id }) => id),
      )
      return { added: fresh.length, updated: known.length, teamIds: await makeTeams(tx, teamsOf(plan)) }
    }),
  )
  if (updated > 0) deps.bus.publish('security.changed', {})
  for (const teamId of teamIds) deps.bus.publish('team.changed', { teamId })
  const message = `Users added: ${added}, updated: ${updated}, teams created: ${teamIds.length}`
  audit(deps, by, message)
}

interface Planned {
  /** With the names as stored; `teamName` is empty for no team. */
  readonly row: NewUser & { readonly teamName: string }
  readonly id: string
  readonly known: boolean
  readonly isRenamed: boolean
}

async function planBatch(db: Db | Tx, rows: readonly NewUser[], describe: Batch['describe']): Promise<Planned[]> {
  const names = rows.map(({ userName }) => nameKey(userName))
  const emails = rows.map(({ email }) => foldCase(email))
  const accounts = await listKnown(db, names, emails)
  const byName = new Map(accounts.map((account) => [account.name, account]))
  const byEmail = new Map(accounts.map((account) => [account.email, account]))
  const admins = await listAdminNames(db, null)
  const taken = { names: new Set<string>(), emails: new Set<string>(), teams: new Set<string>() }
  // The list of users is ordered by creation: keep the order of the rows.
  const first = Date.now() - rows.length

  return rows.map((row, i) => {
    const [name, email] = [names[i] as string, emails[i] as string]
    const [named, addressed] = [byName.get(name), byEmail.get(email)]
    const account = named ?? addressed
    let userName: string
    let teamName: string
    try {
      userName = cleanUserName(row.userName)
      teamName = row.teamName?.trim() ? cleanTeamName(row.teamName) : ''
      if (taken.names.has(name)) throw new UserNameTaken()
      if (taken.emails.has(email) || (named && addressed && named !== addressed)) throw new EmailTaken()
      if (account?.role === 'Admin') throw new UserIsAdmin()
      mustNotLookLike(userName, admins)
      mustOwnOneTeam(teamName, account, taken.teams)
    } catch (refusal) {
      if (!(refusal instanceof RuleError)) throw refusal
      throw new BatchRowRefused({ row: i + 1, name: row.userName, reason: describe(refusal) })
    }
    // The old name and address of an updated account count as taken: no other row may refer to the same account.
    taken.names.add(name).add(account?.name ?? name)
    taken.emails.add(email).add(account?.email ?? email)
    return {
      row: { ...row, userName, teamName },
      id: account?.id ?? newId(first + i),
      known: account !== undefined,
      isRenamed: account !== undefined && account.userName !== userName,
    }
  })
}

function mustOwnOneTeam(name: string, account: KnownAccount | undefined, teams: Set<string>): void {
  if (name === '' || teams.has(name)) return
  if (account?.ownsTeam) throw new TeamAlreadyOwned()
  teams.add(name)
}

function teamsOf(plan: readonly Planned[]) {
  const members = new Map<string, string[]>()
  for (const { row, id } of plan) {
    const name = row.teamName
    if (name !== '') members.set(name, [...(members.get(name) ?? []), id])
  }
  return [...members].map(([name, memberIds]) => ({ name, captainId: memberIds[0] as string, memberIds }))
}

async function hashAll(rows: readonly NewUser[], caller: string): Promise<string[]> {
  const hashes: string[] = []
  for (let i = 0; i < rows.length; i += hashesAtOnce) {
    const some = rows.slice(i, i + hashesAtOnce)
    hashes.push(...(await Promise.all(some.map(({ password }) => hashPassword(password, caller)))))
  }
  return hashes
}

type WithHash = Planned & { readonly passwordHash: string }

const newAccount = ({ id, row, passwordHash }: WithHash) => ({
  id,
  ...named(row.userName),
  email: row.email,
  passwordHash,
  active: true,
  realName: row.realName ?? '',
  studentNumber: row.stdNumber ?? '',
  phone: cleanPhone(row.phone ?? ''),
})

const changedAccount = ({ id, row, passwordHash }: WithHash) => ({
  id,
  ...named(row.userName),
  email: row.email,
  passwordHash,
  realName: row.realName ?? null,
  studentNumber: row.stdNumber ?? null,
  phone: row.phone == null ? null : (cleanPhone(row.phone) ?? ''),
})
