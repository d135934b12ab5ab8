import type { PostEdit } from '@vexil/contract/site'
import { PostNotFound } from '@vexil/core/rules'
import { sql } from 'kysely'
import { audit } from '../audit.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { newPostId } from './posts.queries.ts'

type SiteDeps = Pick<Deps, 'db' | 'log'>

interface Author {
  readonly id: string
  readonly userName: string
  readonly ip: string
}

const columnsOf = ({ title, summary, content, tags }: PostEdit) => ({
  title: title.trim(),
  summary: summary ?? '',
  content: content ?? '',
  tags: tags ?? [],
})

/** Returns the id: 8 hex digits. */
export async function createPost({ db, log }: SiteDeps, by: Author, edit: PostEdit): Promise<string> {
  const post = { ...columnsOf(edit), id: newPostId(), pinned: edit.isPinned ?? false, authorId: by.id }
  await db.insertInto('posts').values(post).execute()
  audit({ log }, by, `Created post ${post.title} (${post.id})`)
  return post.id
}

/** If the pin differs, only the pin changes, and author and time are kept. Otherwise everything is replaced, and the editor becomes the author. @throws PostNotFound */
export async function updatePost({ db, log }: SiteDeps, by: Author, id: string, edit: PostEdit): Promise<void> {
  const what = await inTransaction(db, async (tx) => {
    const post = await tx.selectFrom('posts').select(['title', 'pinned']).where('id', '=', id).forUpdate().executeTakeFirst()
    if (!post) throw new PostNotFound()
    const pinned = edit.isPinned ?? false
    const moved = pinned !== post.pinned
    await tx
      .updateTable('posts')
      .set(moved ? { pinned } : { ...columnsOf(edit), authorId: by.id, updatedAt: sql`clock_timestamp()` })
      .where('id', '=', id)
      .execute()
    return `${moved ? (pinned ? 'Pinned' : 'Unpinned') : 'Changed'} post ${moved ? post.title : edit.title.trim()} (${id})`
  })
  audit({ log }, by, what)
}

/** @throws PostNotFound */
export async function deletePost({ db, log }: SiteDeps, by: Author, id: string): Promise<void> {
  const deleted = await db.deleteFrom('posts').where('id', '=', id).returning('title').executeTakeFirst()
  if (!deleted) throw new PostNotFound()
  audit({ log }, by, `Deleted post ${deleted.title} (${id})`)
}
