import { afterAll, beforeAll, expect, test } from 'vitest'
import { aFile, anAccount } from '../../test/builders/game.ts'
import { type Answer, type Caller, startTestPlatform, type TestPlatform } from '../../test/platform.ts'

let platform: TestPlatform
let admin: Caller
beforeAll(async () => {
  platform = await startTestPlatform()
  admin = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Root' }))
})
afterAll(() => platform.stop())

const post = { title: 'Title', summary: 'Summary', content: 'Content', tags: ['one', 'two'], isPinned: false }
const create = async (changes: object = {}): Promise<string> =>
  (await admin.post('/api/edit/posts', { ...post, ...changes })).body
const url = (id: string) => `/api/edit/posts/${id}`
const read = async (id: string) => (await platform.anyone.get(`/api/posts/${id}`)).body
const refused = ({ status, error }: Answer) => [status, error.status, error.code]
const logged = async () => {
  await platform.deps.log.flush()
  return platform.db.selectFrom('logs').select(['name', 'status', 'message']).orderBy('id').execute()
}
/** Makes the post old. */
const age = (id: string) =>
  platform.db
    .updateTable('posts')
    .set({ updatedAt: new Date(0) })
    .where('id', '=', id)
    .execute()

test('P7.64 P3.37 a new post returns its id of 8 hex digits and is read with author and time', async () => {
  const { status, body: id } = await admin.post('/api/edit/posts', post)
  expect([status, id]).toEqual([200, expect.stringMatching(/^[0-9a-f]{8}$/)])
  expect(await read(id)).toEqual({
    ...post,
    id,
    authorAvatar: null,
    authorName: 'Root',
    time: expect.stringMatching(/^\d{4}-.*\+00:00$/),
  })
  expect((await logged()).at(-1)).toEqual({ name: 'Root', status: 'Success', message: `Created post Title (${id})` })
})

test('P3.37 P7.64 a post created as pinned is stored completely, and so is one with only a title', async () => {
  expect(await read(await create({ isPinned: true }))).toMatchObject({ ...post, isPinned: true })
  const { body } = await admin.post('/api/edit/posts', { title: '  Alone  ', tags: null })
  expect(await read(body)).toMatchObject({ title: 'Alone', summary: '', content: '', tags: [], isPinned: false })
})

test.each([
  [{ title: '' }, 'post.title_missing'],
  [{ title: '   ' }, 'post.title_missing'],
  [{ title: undefined }, 'post.title_missing'],
  [{ title: 'a'.repeat(51) }, 'request.invalid'],
  [{ summary: null }, 'request.invalid'],
  [{ tags: 'one' }, 'request.invalid'],
])('P3.37 P7.64 P7.65 a post with %j is refused', async (wrong, code) => {
  const before = await platform.db.selectFrom('posts').selectAll().execute()
  expect(refused(await admin.post('/api/edit/posts', { ...post, ...wrong }))).toEqual([400, 400, code])
  const id = await create()
  expect(refused(await admin.put(url(id), { ...post, isPinned: true, ...wrong }))).toEqual([400, 400, code])
  expect((await read(id)).isPinned).toBe(false)
  expect(await platform.db.selectFrom('posts').selectAll().where('id', '<>', id).execute()).toEqual(before)
})

test('P7.65 an edit replaces everything; the editor becomes the author, and the time is updated', async () => {
  const id = await create()
  await age(id)
  const second = await platform.as(await anAccount(platform.db, { role: 'Admin', userName: 'Second' }))
  const edit = { title: 'New', summary: '', content: 'New content', tags: ['three'], isPinned: false }
  const { status, body } = await second.put(url(id), { ...edit, title: ' New ' })
  expect(status).toBe(200)
  expect(body).toEqual({ ...edit, id, authorAvatar: null, authorName: 'Second', time: expect.stringMatching(/^20/) })
  const avatarHash = await aFile(platform.db)
  await platform.db.updateTable('accounts').set({ avatarHash }).where('userName', '=', 'Second').execute()
  body.authorAvatar = `/assets/${avatarHash}/avatar`
  expect(await read(id)).toEqual(body)
  expect((await logged()).at(-1)).toEqual({ name: 'Second', status: 'Success', message: `Changed post New (${id})` })
})

test('P7.65 when the pin differs only the pin changes', async () => {
  const [id, neighbour] = [await create(), await create()]
  await age(id)
  const [before, beside] = [await read(id), await read(neighbour)]
  const pinned = await admin.put(url(id), { title: 'Ignored', isPinned: true })
  expect(pinned.body).toEqual({ ...before, isPinned: true })
  expect(await read(neighbour)).toEqual(beside)
  expect((await logged()).at(-1)?.message).toBe(`Pinned post Title (${id})`)
  // Absent means not pinned.
  expect((await admin.put(url(id), { title: 'Ignored' })).body).toEqual(before)
  expect((await logged()).at(-1)?.message).toBe(`Unpinned post Title (${id})`)
})

test('P7.66 a deleted post is no longer listed and returns 404', async () => {
  const [id, neighbour] = [await create(), await create()]
  const listed = async () => (await platform.anyone.get('/api/posts')).body.map((one: { id: string }) => one.id)
  expect(await listed()).toEqual(expect.arrayContaining([id, neighbour]))
  expect(await admin.delete(url(id))).toMatchObject({ status: 200, body: '' })
  expect((await platform.anyone.get(`/api/posts/${id}`)).status).toBe(404)
  expect(await listed()).toContain(neighbour)
  expect(await listed()).not.toContain(id)
  expect((await logged()).at(-1)).toEqual({ name: 'Root', status: 'Success', message: `Deleted post Title (${id})` })
  expect(refused(await admin.delete(url(id)))).toEqual([404, 404, 'post.not_found'])
})

test('P7.65 an unknown post returns 404', async () => {
  expect(refused(await admin.put(url('00000000'), post))).toEqual([404, 404, 'post.not_found'])
})

test('P7.99 a post outlives its author, and shows the author’s current name until then', async () => {
  const authorId = await anAccount(platform.db, { role: 'Admin', userName: 'Former' })
  const { body: id } = await (await platform.as(authorId)).post('/api/edit/posts', post)
  await admin.put(`/api/admin/users/${authorId}`, { userName: 'Renamed' })
  expect((await read(id)).authorName).toBe('Renamed')
  await admin.delete(`/api/admin/users/${authorId}`)
  expect(await read(id)).toMatchObject({ title: 'Title', authorName: null })
})
