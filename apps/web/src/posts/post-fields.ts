import type { Body } from '@vexil/contract/endpoint'
import type { PostDetail, updatePost } from '@vexil/contract/site'

type Fields = Body<typeof updatePost>
/** Fails to compile if the call accepts a field that this form lacks. */
export type PostFields = { readonly [N in keyof Fields]-?: NonNullable<Fields[N]> }

export const emptyPost: PostFields = { title: '', tags: [], summary: '', content: '', isPinned: false }

export const postFields = ({ title, tags, summary, content, isPinned }: PostDetail): PostFields => ({
  title,
  tags: tags ?? [],
  summary,
  content,
  isPinned,
})

export const postBody = (fields: PostFields) => ({
  ...fields,
  title: fields.title.trim(),
  tags: fields.tags.map((tag) => tag.trim()).filter(Boolean),
})

const serialise = (post: PostFields) => JSON.stringify([post.title, post.tags, post.summary, post.content])

/** Stores a post. A call that changes the pin changes nothing else, so other fields are sent first, with the stored pin. */
export async function storePost(
  put: (body: PostFields) => Promise<PostDetail>,
  fields: PostFields,
  base: PostFields,
): Promise<PostDetail> {
  const wanted = postBody(fields)
  let stored: PostDetail | undefined
  if (serialise(wanted) !== serialise(base)) {
    stored = await put({ ...wanted, isPinned: base.isPinned })
    if (serialise(postFields(stored)) !== serialise(wanted)) stored = await put({ ...wanted, isPinned: stored.isPinned })
  }
  if (!stored || stored.isPinned !== wanted.isPinned) stored = await put(wanted)
  return stored
}
