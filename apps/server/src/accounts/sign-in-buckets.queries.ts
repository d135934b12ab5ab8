import { createHash } from 'node:crypto'
import { rateLimits } from '@vexil/core/limits'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/transaction.ts'
import type { BucketName } from './sign-in-limits.ts'

export type Bucket = readonly [name: BucketName, key: string]

const forgottenAtOnce = 100_000

/** Hashed: visitors choose the names of accounts, of any length. */
const keysOf = (buckets: readonly Bucket[]): RawBuilder<unknown> =>
  sql`${buckets.map((bucket) => createHash('sha256').update(bucket.join(' ')).digest())}::bytea[]`
const sizesOf = (buckets: readonly Bucket[]): RawBuilder<unknown> =>
  sql`${buckets.map(([name]) => rateLimits[name].size)}::float8[]`
const secondsOf = (buckets: readonly Bucket[]): RawBuilder<unknown> =>
  sql`${buckets.map(([name]) => rateLimits[name].every / 1000 / rateLimits[name].refill)}::float8[]`

const secondsFrom = async (db: Db, expression: RawBuilder<number>): Promise<number> =>
  (await sql<{ seconds: number }>`select ${expression} as seconds`.execute(db)).rows[0]?.seconds ?? 0

/** Seconds until all of these buckets have a token; 0: now. */
export const findWait = (db: Db, buckets: readonly Bucket[]): Promise<number> =>
  secondsFrom(db, sql`sign_in_wait(${keysOf(buckets)}, ${sizesOf(buckets)}, ${secondsOf(buckets)})`)

/** Takes a token from each bucket and returns 0, or takes none and returns the seconds until all of `refusing` have one. */
export const takeTokens = (db: Db, refusing: readonly Bucket[], others: readonly Bucket[]): Promise<number> => {
  const all = [...refusing, ...others]
  const refuse = all.map((_, at) => at < refusing.length)
  return secondsFrom(db, sql`take_sign_in(${keysOf(all)}, ${sizesOf(all)}, ${secondsOf(all)}, ${refuse}::boolean[])`)
}

export async function returnTokens(db: Db, buckets: readonly Bucket[]): Promise<void> {
  await sql`select return_sign_in(${keysOf(buckets)}, ${secondsOf(buckets)})`.execute(db)
}

/** Deletes full buckets. Rows that a sign-in has locked are left for the next time. */
export async function forgetBuckets(db: Db): Promise<void> {
  await sql`delete from sign_in_buckets where key in (
    select key from sign_in_buckets where full_at < clock_timestamp() limit ${forgottenAtOnce} for update skip locked)`.execute(
    db,
  )
}
