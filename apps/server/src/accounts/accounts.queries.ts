import { nameKey } from '@vexil/core/names'
import type { Role } from '@vexil/core/vocabulary'
import { type Insertable, sql, type Updateable } from 'kysely'
import type { DB } from '../db/schema.ts'
import type { Db, Tx } from '../db/transaction.ts'
import { newId } from './ids.ts'

export type NewAccount = Pick<Insertable<DB['accounts']>, 'email' | 'passwordHash' | 'active' | 'lastIp'> & {
  /** In the form that `cleanUserName` returns. */
  readonly userName: string
  readonly role?: Role
}

export const named = (userName: string) => ({ userName, nameKey: nameKey(userName) })

/** Unique indexes check name and address (db/constraints.ts). Returns the id. */
export async function insertAccount(tx: Tx, account: NewAccount): Promise<string> {
  const id = newId()
  await tx
    .insertInto('accounts')
    .values({ ...account, ...named(account.userName), id, lastVisitAt: sql`clock_timestamp()` })
    .execute()
  return id
}

/** By name in any of its forms, otherwise by address in any case. A name never contains `@`, so the two cannot be confused. */
export async function findByNameOrEmail(db: Db, given: string) {
  return db
    .selectFrom('accounts')
    .select(['id', 'userName', 'role', 'active', 'passwordHash'])
    .where((or) => or.or([or('nameKey', '=', nameKey(given)), or(sql`lower(email)`, '=', sql`lower(${given.trim()})`)]))
    .executeTakeFirst()
}

export async function getAccount(db: Db | Tx, id: string) {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

export async function updateAccount(tx: Tx, id: string, changes: Updateable<DB['accounts']>): Promise<void> {
  if (Object.keys(changes).length === 0) return
  await tx.updateTable('accounts').set(changes).where('id', '=', id).execute()
}

/** Locks the account until the commit and returns what a sign-in must check again; null if the account was deleted. */
export async function recordSignIn(tx: Tx, id: string, ip: string) {
  const now = await tx
    .updateTable('accounts')
    .set({ lastVisitAt: sql`clock_timestamp()`, lastIp: ip })
    .where('id', '=', id)
    .returning(['role', 'active', 'passwordHash'])
    .executeTakeFirst()
  return now ?? null
}

export async function findByEmail(db: Db | Tx, email: string) {
  return db
    .selectFrom('accounts')
    .select(['id', 'userName', 'email', 'role', 'active'])
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .executeTakeFirst()
}

/** Locks the inactive account with role User and no team at this address; null if there is none. */
export async function lockUnclaimed(tx: Tx, email: string): Promise<string | null> {
  const found = await tx
    .selectFrom('accounts')
    .select('id')
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .where('active', '=', false)
    .where('role', '=', 'User')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('teamMembers').select('teamId').whereRef('teamMembers.accountId', '=', 'accounts.id'))),
    )
    .forUpdate()
    .executeTakeFirst()
  return found?.id ?? null
}

/** Whether an account other than `except` has the name, in any of its forms. */
export async function isNameTaken(tx: Tx, userName: string, except: string | null): Promise<boolean> {
  const found = await tx
    .selectFrom('accounts')
    .select('id')
    .where('nameKey', '=', nameKey(userName))
    .$if(except !== null, (query) => query.where('id', '<>', except as string))
    .executeTakeFirst()
  return found !== undefined
}

export async function listAdminNames(db: Db | Tx, except: string | null): Promise<string[]> {
  const admins = await db
    .selectFrom('accounts')
    .select('userName')
    .where('role', '=', 'Admin')
    .$if(except !== null, (query) => query.where('id', '<>', except as string))
    .execute()
  return admins.map(({ userName }) => userName)
}

export async function hasAdmin(db: Db | Tx): Promise<boolean> {
  return (await db.selectFrom('accounts').select('id').where('role', '=', 'Admin').limit(1).executeTakeFirst()) !== undefined
}

export async function listParticipations(db: Db, accountId: string) {
  return db
    .selectFrom('registrations as r')
    .innerJoin('participations as p', 'p.id', 'r.participationId')
    .innerJoin('teams as t', 't.id', 'p.teamId')
    .select(['p.gameId', 'p.status', 'p.teamId', 't.name as teamName', 'p.division as organization'])
    .where('r.accountId', '=', accountId)
    .orderBy('p.id', 'desc')
    .execute()
}
