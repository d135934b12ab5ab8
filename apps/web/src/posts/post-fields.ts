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

/** Body of the call; trims the title, drops empty tags. */
export const postBody = (fields: PostFields) => ({
  ...fields,
  title: fields.title.trim(),
  tags: fields.tags.map((tag) => tag.trim()).filter(Boolean),
})

const says = (post: PostFields) => JSON.stringify([post.title, post.tags, post.summary, post.content])

/**
 * Stores a post. A call whose pin differs from the stored one changes only the pin, so the other fields are sent with the stored
 * pin (again if it changed meanwhile), and the pin separately. `put` makes the call and returns the stored post.
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
