import { randomBytes } from 'node:crypto'
import { postLimits } from '@vexil/core/limits'
import { sql } from 'kysely'
import type { Db } from '../db/transaction.ts'
import { inTransaction } from '../db/transaction.ts'

const withAuthor = (db: Db) =>
  db
    .selectFrom('posts')
    .leftJoin('accounts', 'accounts.id', 'posts.authorId')
    .select(['posts.id', 'title', 'summary', 'pinned', 'tags', 'updatedAt', 'userName as authorName', 'avatarHash'])

/** Pinned first, then newest. */
export async function listPosts(db: Db, limit?: number) {
  return withAuthor(db)
    .orderBy('pinned', 'desc')
    .orderBy('updatedAt', 'desc')
    .orderBy('posts.id')
    .$if(limit !== undefined, (query) => query.limit(limit as number))
    .execute()
}

export async function findPost(db: Db, id: string) {
  return withAuthor(db).select('content').where('posts.id', '=', id).executeTakeFirst()
}

export const newPostId = (): string => randomBytes(postLimits.idLength / 2).toString('hex')

/** On the first start, so that the platform is not empty. */
export async function makeWelcomePost(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`select from installation for update`.execute(tx)
    const known = await sql`select from posts union all select from accounts limit 1`.execute(tx)
    if (known.rows.length > 0) return
    await tx
      .insertInto('posts')
      .values({
        id: newPostId(),
        title: 'Welcome',
        summary: 'This platform is ready for its first competition.',
        content: 'Register, find a team, and join a game.\n\nAdministrators can edit or remove this post.',
      })
      .execute()
  })
}
