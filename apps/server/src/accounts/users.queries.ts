import type { Role } from '@vexil/core/vocabulary'
import { type Insertable, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import type { DB } from '../db/schema.ts'
import type { Db, Tx } from '../db/transaction.ts'

/** Without the password hash. */
const accountColumns = [
  'id',
  'userName',
  'email',
  'role',
  'active',
  'realName',
  'studentNumber',
  'phone',
  'bio',
  'avatarHash',
  'registeredAt',
  'lastVisitAt',
  'lastIp',
] as const

export type AccountRow = Pick<Selectable<DB['accounts']>, (typeof accountColumns)[number]>

interface Page {
  readonly count: number
  readonly skip: number
}

interface Narrowed {
  readonly role?: Role
  readonly active?: boolean
}

type Narrow = <O>(query: SelectQueryBuilder<DB, 'accounts', O>) => SelectQueryBuilder<DB, 'accounts', O>

const narrowedTo =
  ({ role, active }: Narrowed): Narrow =>
  (query) =>
    query
      .$if(role !== undefined, (some) => some.where('role', '=', role as Role))
      .$if(active !== undefined, (some) => some.where('active', '=', active as boolean))

/** In order of creation. `total` counts all matches. */
export async function listUsers(db: Db, page: Page & Narrowed): Promise<{ rows: AccountRow[]; total: number }> {
  return paged(db, page, narrowedTo(page))
}

/** Matches name, student number, address, phone, id or real name, in any letter case. `total` counts all matches. */
export async function searchUsers(db: Db, hint: string, page: Page & Narrowed): Promise<{ rows: AccountRow[]; total: number }> {
  const pattern = `%${hint.replace(/[\\%_]/g, '\\$&')}%`
  const columns = ['userName', 'studentNumber', 'email', 'phone', 'realName'] as const
  const narrowed = narrowedTo(page)
  return paged(db, page, (query) =>
    narrowed(query).where((or) =>
      or.or([...columns.map((column) => or(column, 'ilike', pattern)), or(sql<string>`accounts.id::text`, 'ilike', pattern)]),
    ),
  )
}

async function paged(db: Db, { count, skip }: Page, narrowed: Narrow): Promise<{ rows: AccountRow[]; total: number }> {
  const { total } = await narrowed(db.selectFrom('accounts'))
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const rows = await narrowed(db.selectFrom('accounts')).select(accountColumns).orderBy('id').limit(count).offset(skip).execute()
  return { rows, total }
}

export async function findUser(db: Db | Tx, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').select(accountColumns).where('id', '=', id).executeTakeFirst()
}

/** Locks in one order: of two administrators that demote each other, the later sees the earlier change. `id` in lower case. */
export async function lockWithAdmins(tx: Tx, id: string): Promise<{ account: AccountRow | undefined; others: AccountRow[] }> {
  const rows = await tx
    .selectFrom('accounts')
    .select(accountColumns)
    .where((or) => or.or([or('role', '=', 'Admin'), or('id', '=', id)]))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return { account: rows.find((row) => row.id === id), others: rows.filter((row) => row.id !== id) }
}

/** Locks the row against transactions that will reference the account, such as one that creates a team. */
export async function lockForDeletion(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('accounts').select('id').where('id', '=', id).forUpdate().execute()
}

export async function endAccess(tx: Tx, accountIds: readonly string[]): Promise<void> {
  await sql`delete from sessions where account_id = any(${accountIds}::uuid[])`.execute(tx)
  await endLinks(tx, accountIds)
}

export async function endLinks(tx: Tx, accountIds: readonly string[]): Promise<void> {
  await sql`delete from mail_tokens where account_id = any(${accountIds}::uuid[])`.execute(tx)
}

export async function ownsTeam(tx: Tx, accountId: string): Promise<boolean> {
  return (await tx.selectFrom('teams').select('id').where('captainId', '=', accountId).executeTakeFirst()) !== undefined
}

/** The teams of which the account is a member. */
export const listTeamsOf = (tx: Tx, accountId: string) =>
  tx.selectFrom('teamMembers').select('teamId').where('accountId', '=', accountId).execute()

/** The participations for which the account is registered. */
export const listRegistrationsOf = (tx: Tx, accountId: string) =>
  tx.selectFrom('registrations').select(['gameId', 'participationId']).where('accountId', '=', accountId).execute()

export interface KnownAccount {
  readonly id: string
  readonly role: Role
  readonly userName: string
  /** `nameKey` and lower-case address. */
  readonly name: string
  readonly email: string
  readonly ownsTeam: boolean
}

/** Accounts with one of the names (name keys) or addresses (lower case). Inside a transaction they are locked. */
export async function listKnown(db: Db | Tx, names: readonly string[], emails: readonly string[]): Promise<KnownAccount[]> {
  const { rows } = await sql<KnownAccount>`
    select id, role, user_name, name_key as name, lower(email) as email,
      exists (select from teams where captain_id = accounts.id) as owns_team
    from accounts where name_key = any(${names}) or lower(email) = any(${emails})
    order by id ${db.isTransaction ? sql`for no key update` : sql``}`.execute(db)
  return rows
}

export async function insertUsers(tx: Tx, users: readonly Insertable<DB['accounts']>[]): Promise<void> {
  if (users.length > 0) await tx.insertInto('accounts').values(users).execute()
}

/** Null leaves a field unchanged; an empty phone clears it. */
export interface UserUpdate {
  readonly id: string
  readonly userName: string
  readonly nameKey: string
  readonly email: string
  readonly passwordHash: string
  readonly realName: string | null
  readonly studentNumber: string | null
  readonly phone: string | null
}

export async function updateUsers(tx: Tx, users: readonly UserUpdate[]): Promise<void> {
  const all = <K extends keyof UserUpdate>(name: K) => users.map((user) => user[name])
  await sql`
    update accounts a set user_name = u.user_name, name_key = u.name_key, email = u.email, password_hash = u.password_hash,
      real_name = coalesce(u.real_name, a.real_name), student_number = coalesce(u.student_number, a.student_number),
      phone = case when u.phone is null then a.phone else nullif(u.phone, '') end
    from unnest(${all('id')}::uuid[], ${all('userName')}::text[], ${all('nameKey')}::text[], ${all('email')}::text[], ${all('passwordHash')}::text[],
      ${all('realName')}::text[], ${all('studentNumber')}::text[], ${all('phone')}::text[])
      as u (id, user_name, name_key, email, password_hash, real_name, student_number, phone)
    where a.id = u.id`.execute(tx)
}
