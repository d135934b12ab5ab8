import type { PostDetail } from '@vexil/contract/site'

export interface PostFields {
  readonly title: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly content: string
  readonly isPinned: boolean
}

export const emptyPost: PostFields = { title: '', tags: [], summary: '', content: '', isPinned: false }

export const postFields = ({ title, tags, summary, content, isPinned }: PostDetail): PostFields => ({
  title,
  tags: tags ?? [],
  summary,
  content,
  isPinned,
})

/** What the call takes; blanks around the title and empty tags go. */
export const postBody = (fields: PostFields) => ({
  ...fields,
  title: fields.title.trim(),
  tags: fields.tags.map((tag) => tag.trim()).filter(Boolean),
})

const says = (post: PostFields) => JSON.stringify([post.title, post.tags, post.summary, post.content])

/**
 * Stores everything. A call whose pin differs from the stored one changes the pin alone, so the rest goes with the pin that is
 * stored, again if that changed meanwhile, and the pin is sent separately. `put` makes the call and gives what is stored then.
 */
export async function storePost(
  put: (body: PostFields) => Promise<PostDetail>,
  fields: PostFields,
  base: PostFields,
): Promise<PostDetail> {
  const wanted = postBody(fields)
  let stored: PostDetail | undefined
  if (says(wanted) !== says(base)) {
    stored = await put({ ...wanted, isPinned: base.isPinned })
    if (says(postFields(stored)) !== says(wanted)) stored = await put({ ...wanted, isPinned: stored.isPinned })
  }
  if (!stored || stored.isPinned !== wanted.isPinned) stored = await put(wanted)
  return stored
}
