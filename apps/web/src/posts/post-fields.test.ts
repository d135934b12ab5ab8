import type { PostDetail } from '@vexil/contract/site'
import { expect, test } from 'vitest'
import { emptyPost, type PostFields, postBody, storePost } from './post-fields.ts'

const post = (part: Partial<PostFields> = {}): PostFields => ({
  title: 'Doors open',
  tags: ['cup'],
  summary: 'Soon',
  content: 'At nine',
  isPinned: false,
  ...part,
})

/** A server with this post: like the call, a change of the pin changes nothing else. @returns the calls, and the stored post */
async function store(fields: PostFields, base: PostFields, onServer = base) {
  let stored = onServer
  const sent: PostFields[] = []
  const put = async (body: PostFields) => {
    sent.push(body)
    stored = body.isPinned === stored.isPinned ? body : { ...stored, isPinned: body.isPinned }
    return { ...stored, id: 'a' } as unknown as PostDetail
  }
  const answer = await storePost(put, fields, base)
  expect(answer).toMatchObject(stored)
  return { sent, stored }
}

test('a new post is empty; a title is sent without outer blanks, and blank tags are not sent', () => {
  expect(emptyPost).toEqual({ title: '', tags: [], summary: '', content: '', isPinned: false })
  const typed = post({ title: ' Doors open ', tags: [' cup', ' ', 'news '], summary: ' Soon ', content: ' At nine\n' })
  expect(postBody(typed)).toEqual({ ...typed, title: 'Doors open', tags: ['cup', 'news'] })
})

test('one call stores fields or the pin, two store both', async () => {
  const base = post()
  for (const part of [{ title: 'Closed' }, { tags: ['cup', 'news'] }, { summary: '' }, { content: 'At ten' }, {}])
    for (const isPinned of [false, true]) {
      const { sent, stored } = await store(post({ ...part, isPinned }), base)
      const calls = isPinned && Object.keys(part).length > 0 ? 2 : 1
      expect([part, sent.length, stored]).toEqual([part, calls, post({ ...part, isPinned })])
    }
  const pinned = post({ isPinned: true })
  expect((await store(post({ content: 'At ten' }), pinned)).sent.map(({ isPinned }) => isPinned)).toEqual([true, false])
})

test('if the pin was changed on the server meanwhile, the fields are sent again with it', async () => {
  const base = post()
  const { sent, stored } = await store(post({ content: 'At ten' }), base, post({ isPinned: true }))
  expect(sent.map(({ content, isPinned }) => [content, isPinned])).toEqual([
    ['At ten', false],
    ['At ten', false],
  ])
  expect(stored).toEqual(post({ content: 'At ten' }))
  const both = await store(post({ content: 'At ten', isPinned: true }), base, post({ isPinned: true }))
  expect(both.stored).toEqual(post({ content: 'At ten', isPinned: true }))
})
