// @vitest-environment jsdom
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { postLimits, textLimits } from '@vexil/core/limits'
import { act } from 'react'
import { type NavigateFunction, Route, Routes, useLocation, useNavigate } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { json, openPage, toasts, type, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { PostActions } from '../shell/post-actions.tsx'
import PostScreen from './post.screen.tsx'
import PostEditScreen from './post-edit.screen.tsx'
import { storePost } from './post-fields.ts'
import PostsScreen from './posts.screen.tsx'

afterEach(() => void vi.unstubAllGlobals())

const post = (id: string, patch: object = {}) => ({
  id,
  title: `Post ${id}`,
  summary: 'short',
  content: '# Long',
  isPinned: false,
  tags: ['news', 'cup'],
  authorName: 'Admin',
  authorAvatar: null,
  time: '2026-11-20T08:00:00+00:00',
  ...patch,
})
type Post = ReturnType<typeof post>

let queries: QueryClient
let navigate: NavigateFunction
function Where() {
  queries = useQueryClient()
  navigate = useNavigate()
  return <output>{useLocation().pathname}</output>
}
const lists = [keys.posts.list, keys.posts.latest]
/** Which of the cached lists are invalidated, so that they are fetched again when shown. */
const old = () => lists.map((key) => queries.getQueryState(key)?.isInvalidated)

interface Scene {
  readonly stored?: Post[]
  readonly refuse?: (line: string) => Response | Promise<Response> | undefined
  readonly role?: 'Admin' | 'User' | null
}

/** A server that stores posts like the real one: a change that changes the pin changes nothing else. */
async function open(address: string, { stored = [post('aaaaaaaa')], refuse = () => undefined, role = 'Admin' }: Scene = {}) {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const line = `${init?.method ?? 'GET'} ${input}`
    requests.push(line)
    const refused = refuse(line)
    if (refused) return refused
    const body = init?.body ? JSON.parse(String(init.body)) : undefined
    const id = input.split('/').at(-1) ?? ''
    const at = stored.findIndex((one) => one.id === id)
    if (line === 'POST /api/edit/posts') {
      stored.push(post('bbbbbbbb', body))
      return json('bbbbbbbb')
    }
    if (line.startsWith('GET /api/posts') && ['posts', 'latest'].includes(id))
      return json(stored.toSorted((a, b) => Number(b.isPinned) - Number(a.isPinned)))
    const known = stored[at]
    if (!known) return json({ title: 'Post not found', status: 404, code: 'post.not_found' }, 404)
    if (line.startsWith('PUT'))
      stored[at] = body.isPinned === known.isPinned ? { ...known, ...body } : { ...known, isPinned: body.isPinned }
    if (line.startsWith('DELETE')) {
      stored.splice(at, 1)
      return new Response(null)
    }
    return json(stored[at])
  })
  const place = await openPage(
    <>
      <Where />
      <Routes>
        <Route path="/posts" element={<PostsScreen />} />
        <Route path="/posts/:postId" element={<PostScreen />} />
        <Route path="/posts/:postId/edit" element={<PostEditScreen />} />
        <Route path="*" element={<PostActions post={stored[0] as Post} />} />
      </Routes>
    </>,
    [
      [keys.config, { title: 'GZ' }],
      [keys.profile, role && { userName: 'Admin', role }],
    ],
    address,
  )
  await settle()
  return { place, requests, stored }
}
const where = () => document.querySelector('output')?.textContent
const button = (text: string) =>
  [...document.querySelectorAll<HTMLButtonElement>('button, a')].filter((one) => one.textContent === text).at(-1)
const click = async (element: HTMLElement | null | undefined) => {
  expect(element).toBeTruthy()
  await act(async () => element?.click())
  await settle()
}
const field = (label: string) => {
  const id = [...document.querySelectorAll('label')].find((one) => one.textContent?.replace(' *', '') === label)?.htmlFor
  return id ? (document.getElementById(id) as HTMLInputElement) : undefined
}
const write = async (label: string, text: string) => {
  const area = field(label)
  if (!(area instanceof HTMLTextAreaElement)) return type(area, text)
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(area, text)
    area.dispatchEvent(new Event('input', { bubbles: true }))
  })
}
const saveKey = async () => {
  // It also works while a text is typed.
  const from = document.querySelector('textarea') ?? document.body
  const init = { key: 's', code: 'KeyS', ctrlKey: true, bubbles: true }
  await act(async () => void from.dispatchEvent(new KeyboardEvent('keydown', init)))
  await settle()
}

test('P2.36 PE-1 a new post is created with all its fields, its own address opens, and the lists are requested again', async () => {
  const { stored, requests } = await open('/posts/new/edit', { stored: [] })
  expect([document.querySelector('h1')?.textContent, document.title]).toEqual(['New post', 'New post - GZ::CTF'])
  expect(field('Tags')?.placeholder).toBe('Type a tag and press Enter')
  // There is nothing to view or delete yet.
  expect([button('View post'), button('Delete')]).toEqual([undefined, undefined])
  await write('Title', '  Doors open  ')
  await write('Summary', 'Soon')
  await write('Content', '**At nine**')
  await click(field('Pin to top'))
  for (const key of lists) queries.setQueryData(key, [])
  await click(button('Create'))
  expect(old()).toEqual([true, true])
  expect(stored).toMatchObject([{ title: 'Doors open', summary: 'Soon', content: '**At nine**', isPinned: true, tags: [] }])
  await until(() => expect(where()).toBe('/posts/bbbbbbbb/edit'))
  expect(field('Title')?.value).toBe('Doors open')
  expect(toasts().map(({ title }) => title)).toContain('Post published')
  expect(requests.filter((line) => line.startsWith('POST'))).toHaveLength(1)
  // The empty form is not an entry of the history any more.
  await act(async () => navigate(-1))
  expect(where()).toBe('/posts/bbbbbbbb/edit')
})

test('P2.36 PE-2 PE-6 changes are saved and read back: text, a removed tag, and the pin, which the call changes separately', async () => {
  const { stored, requests } = await open('/posts/aaaaaaaa/edit')
  expect([document.querySelector('h1')?.textContent, document.title]).toEqual(['Edit post', 'Edit - Post aaaaaaaa - GZ::CTF'])
  expect(field('Tags')?.placeholder).toBe('')
  expect(button('Save')?.hasAttribute('disabled')).toBe(true)
  await saveKey()
  expect(requests.filter((line) => line.startsWith('PUT'))).toEqual([])
  expect(document.querySelector<HTMLInputElement>('.mantine-TagsInput-input input')?.maxLength).toBe(64)
  expect([field('Summary')?.maxLength, field('Content')?.maxLength]).toEqual([postLimits.summaryMax, textLimits.markdownMax])
  const remove = document.querySelector<HTMLElement>('.mantine-Pill-remove, .mantine-TagsInput-pill button')
  await click(remove)
  expect(button('Save')?.hasAttribute('disabled')).toBe(false)
  // A tag is kept without its blanks when the focus leaves the field; blanks are no tag.
  for (const text of [' cup2 ', '  ']) {
    await act(async () => field('Tags')?.focus())
    await write('Tags', text)
    await act(async () => field('Tags')?.blur())
  }
  const tags = () => [...document.querySelectorAll('.mantine-Pill-label')].map(({ textContent }) => textContent)
  expect(tags()).toEqual(['cup', 'cup2'])
  await click(document.querySelectorAll<HTMLElement>('.mantine-Pill-remove')[1])
  expect(tags()).toEqual(['cup'])
  await write('Content', 'Anew')
  await click(field('Pin to top'))
  for (const key of lists) queries.setQueryData(key, [])
  await saveKey()
  expect(old()).toEqual([true, true])
  expect(stored[0]).toMatchObject({ title: 'Post aaaaaaaa', content: 'Anew', isPinned: true, tags: ['cup'] })
  expect(button('Save')?.hasAttribute('disabled')).toBe(true)
  expect(toasts().map(({ title }) => title)).toContain('Saved')
  expect(requests.filter((line) => line.startsWith('PUT'))).toHaveLength(2)
  await act(async () => field('Tags')?.focus())
  for (let at = 0; at <= postLimits.tagsMax; at++) {
    await write('Tags', `tag${at}`)
    await act(async () => void field('Tags')?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })))
  }
  expect(tags()).toHaveLength(postLimits.tagsMax)
  await click(document.querySelector<HTMLElement>('[aria-label="Remove all tags"]'))
  expect(tags()).toEqual([])
})

/** As in a browser, Enter in a one-line field submits the form unless a listener prevents it. Returns whether one did. */
const press = async (label: string, init: KeyboardEventInit = { key: 'Enter' }) => {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })
  await act(async () => {
    field(label)?.dispatchEvent(event)
    if (event.key === 'Enter' && !event.isComposing && !event.defaultPrevented && field(label) instanceof HTMLInputElement)
      field(label)?.form?.requestSubmit()
  })
  await settle()
  return event.defaultPrevented
}

test('PE-1 Enter in a field does not publish a new post', async () => {
  const { requests } = await open('/posts/new/edit', { stored: [] })
  await write('Title', 'Doors')
  for (const label of ['Title', 'Tags', 'Pin to top']) expect(await press(label)).toBe(true)
  // New lines of a text, other keys, and the end of a Chinese or Japanese word are not affected.
  expect(await press('Content')).toBe(false)
  expect(await press('Title', { key: 'e' })).toBe(false)
  expect(await press('Title', { key: 'Enter', isComposing: true })).toBe(false)
  expect(requests.filter((line) => line.startsWith('POST'))).toEqual([])
})

test('PE-2 Enter in a field saves a changed post', async () => {
  const { stored } = await open('/posts/aaaaaaaa/edit')
  await write('Title', 'Doors')
  expect(await press('Title')).toBe(false)
  expect(stored[0]?.title).toBe('Doors')
})

test('PE-2 while a post is being saved no field of it can be changed', async () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const { place } = await open('/posts/aaaaaaaa/edit', { refuse: (line) => (line.startsWith('PUT') ? promise : undefined) })
  await write('Content', 'Anew')
  const free = () => [...place.querySelectorAll('input:not([type=hidden]), textarea')].filter((one) => !one.matches(':disabled'))
  expect(free()).toHaveLength(5)
  await saveKey()
  expect(free()).toEqual([])
  await act(async () => resolve(json({ title: 'Disk is full', status: 500 }, 500)))
  await until(() => expect(free()).toHaveLength(5))
})

test.each([
  [
    'is saved to be viewed',
    '/posts/aaaaaaaa/edit',
    'PUT',
    ['View post', 'Save'],
    () => json(post('aaaaaaaa', { title: 'Changed' })),
  ],
  ['is created', '/posts/new/edit', 'POST', ['Create'], () => json('bbbbbbbb')],
  ['is deleted', '/posts/aaaaaaaa/edit', 'DELETE', ['Delete', 'Delete'], () => new Response(null)],
] as const)('an author who leaves while a post %s is not brought back', async (_, address, method, buttons, answer) => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const { requests } = await open(address, { refuse: (line) => (line.startsWith(method) ? promise : undefined) })
  if (method !== 'DELETE') await write('Title', 'Changed')
  for (const name of buttons) await click(button(name))
  expect(requests.filter((line) => line.startsWith(method))).toHaveLength(1)
  await act(async () => navigate('/elsewhere'))
  await act(async () => resolve(answer()))
  await settle()
  expect(where()).toBe('/elsewhere')
})

test('PE-2 a post that was read before is read again to be changed, but not when the user returns to the window', async () => {
  const { requests } = await open('/posts/aaaaaaaa')
  await click(button('Edit'))
  await until(() => expect(field('Title')?.value).toBe('Post aaaaaaaa'))
  const reads = () => requests.filter((line) => line === 'GET /api/posts/aaaaaaaa')
  expect(reads()).toHaveLength(2)
  await act(async () => queries.invalidateQueries({ queryKey: keys.posts.all, refetchType: 'none' }))
  await act(async () => void window.dispatchEvent(new Event('visibilitychange')))
  await settle()
  expect(reads()).toHaveLength(2)
})

test('PE-2 a pin that another user changed meanwhile does not prevent saving the text', async () => {
  const before = post('aaaaaaaa', { isPinned: false })
  let stored = post('aaaaaaaa', { isPinned: true })
  const put = async (body: object) => {
    const change = body as Post
    stored = change.isPinned === stored.isPinned ? { ...stored, ...change } : { ...stored, isPinned: change.isPinned }
    return stored
  }
  await storePost(put, { ...before, title: 'Other' }, before)
  expect(stored).toMatchObject({ title: 'Other', isPinned: false })
  await storePost(put, { ...before, title: 'Other', isPinned: true }, { ...before, title: 'Other' })
  expect(stored).toMatchObject({ title: 'Other', isPinned: true })
})

test('PE-3 viewing a post with changes offers to save; a refused save keeps its text and shows a message', async () => {
  let broken = true
  const { stored, requests } = await open('/posts/aaaaaaaa/edit', {
    refuse: (line) => (line.startsWith('PUT') && broken ? json({ title: 'Disk is full', status: 500 }, 500) : undefined),
  })
  await write('Title', 'Changed')
  await click(button('View post'))
  expect(document.body.textContent).toContain('Save first?The post has unsaved changes.')
  await click(button('Cancel'))
  expect(where()).toBe('/posts/aaaaaaaa/edit')
  expect(requests.filter((line) => line.startsWith('PUT'))).toEqual([])
  await click(button('View post'))
  await click([...document.querySelectorAll<HTMLElement>('[role=dialog] button')].find((one) => one.textContent === 'Save'))
  expect(where()).toBe('/posts/aaaaaaaa/edit')
  expect(toasts()).toContainEqual({ title: 'Could not save', message: 'Disk is full', role: 'alert' })
  expect(field('Title')?.value).toBe('Changed')
  broken = false
  await click(button('View post'))
  await click([...document.querySelectorAll<HTMLElement>('[role=dialog] button')].find((one) => one.textContent === 'Save'))
  await until(() => expect(where()).toBe('/posts/aaaaaaaa'))
  expect(stored[0]?.title).toBe('Changed')
  await until(() => expect(document.querySelector('h1')?.textContent).toBe('Changed'))
  expect(toasts().map(({ title }) => title)).not.toContain('Saved')
  // Without a change it opens at once.
  await click(button('Edit'))
  await until(() => expect(where()).toBe('/posts/aaaaaaaa/edit'))
  await until(() => expect(button('View post')).toBeTruthy())
  await click(button('View post'))
  await until(() => expect(where()).toBe('/posts/aaaaaaaa'))
})

test('PE-4 a post is deleted after a question that names it, even with unsaved changes, and the list is updated', async () => {
  let broken = true
  const { stored } = await open('/posts/aaaaaaaa/edit', {
    stored: [post('aaaaaaaa'), post('cccccccc')],
    refuse: (line) => (line.startsWith('DELETE') && broken ? json({ title: 'Disk is full', status: 500 }, 500) : undefined),
  })
  await write('Title', 'Half written')
  await click(button('Delete'))
  expect(document.body.textContent).toContain('Delete the post Post aaaaaaaa?Readers can no longer see it.')
  await click(button('Cancel'))
  expect(stored).toHaveLength(2)
  const confirmDelete = async () => {
    await click(button('Delete'))
    await click([...document.querySelectorAll<HTMLElement>('[role=dialog] button')].find((one) => one.textContent === 'Delete'))
  }
  await confirmDelete()
  expect(toasts()).toEqual([{ title: 'Could not delete the post', message: 'Disk is full', role: 'alert' }])
  expect([where(), field('Title')?.value]).toEqual(['/posts/aaaaaaaa/edit', 'Half written'])
  broken = false
  for (const key of lists) queries.setQueryData(key, [...stored])
  await confirmDelete()
  await until(() => expect(where()).toBe('/posts'))
  expect(toasts()).toEqual([expect.objectContaining({ title: 'Post aaaaaaaa deleted', role: 'status' })])
  await until(() => expect([...document.querySelectorAll('h2')].map((one) => one.textContent)).toEqual(['Post cccccccc']))
  expect(queries.getQueryData(keys.posts.one('aaaaaaaa'))).toBeUndefined()
  expect(stored.map(({ id }) => id)).toEqual(['cccccccc'])
  expect(document.body.textContent).not.toContain('Half written')
})

test('PE-5 an empty or too long title is marked in its field, which gets the focus, and nothing is sent; outer blanks do not count', async () => {
  const { requests } = await open('/posts/New/edit')
  await write('Title', '  ')
  expect(document.body.textContent).not.toContain('Enter a title.')
  await click(button('Create'))
  expect(document.body.textContent).toContain('Enter a title.')
  expect(document.activeElement).toBe(field('Title'))
  await write('Title', 'x'.repeat(51))
  expect(document.body.textContent).toContain('At most 50 characters, now 51.')
  await write('Title', ` ${'x'.repeat(50)} `)
  expect(document.body.textContent).not.toContain('At most 50 characters')
  expect(document.body.textContent).not.toContain('Enter a title.')
  await write('Title', 'x'.repeat(51))
  await click(button('Create'))
  const sent = () => requests.filter((line) => !line.startsWith('GET'))
  expect(sent()).toEqual([])
  await write('Title', ` ${'x'.repeat(50)} `)
  await click(button('Create'))
  expect(sent()).toEqual(['POST /api/edit/posts'])
})

test('PE-6 FB-6 the text can be previewed, and leaving with unsaved changes asks', async () => {
  await open('/posts/aaaaaaaa/edit')
  await write('Content', 'To be **seen**')
  const previews = [...document.querySelectorAll<HTMLElement>('[role=tab]')].filter((tab) => tab.textContent === 'Preview')
  await click(previews.at(-1))
  await until(() => expect(document.querySelector('[role=tabpanel] strong')?.textContent).toBe('seen'))
  const event = new Event('beforeunload', { cancelable: true })
  window.dispatchEvent(event)
  expect(event.defaultPrevented).toBe(true)
})

test('GUARD-11 an invalid address of a post is not requested; an unknown post is not found', async () => {
  const { place, requests } = await open('/posts/short/edit')
  expect(place.textContent).toContain('Page does not exist')
  expect(requests.filter((line) => line.includes('posts'))).toEqual([])
  const other = await open('/posts/dddddddd/edit')
  await until(() => expect(other.place.textContent).toContain('Page does not exist'))
  const broken = await open('/posts/eeeeeeee/edit', { refuse: () => json({ title: 'Out of order', status: 500 }, 500) })
  await until(() => expect(broken.place.textContent).toContain('Out of order'))
  const third = await open('/posts/short')
  expect(third.place.textContent).toContain('Page does not exist')
  expect(third.requests.filter((line) => line.includes('posts'))).toEqual([])
})

test('HOME-4 an administrator pins a post, which moves at once and moves back when the server refuses; others see no such buttons', async () => {
  const two = () => [post('aaaaaaaa', { isPinned: true }), post('bbbbbbbb', { time: '2026-11-19T08:00:00+00:00' })]
  let broken: Promise<Response> | undefined
  const { stored, requests } = await open('/posts', {
    stored: two(),
    refuse: (line) => (line.startsWith('PUT') ? broken : undefined),
  })
  const order = () => [...document.querySelectorAll('h2')].map((one) => one.textContent)
  const named = (name: string) => document.querySelector<HTMLElement>(`[aria-label="${name}"]`)
  expect(order()).toEqual(['Post aaaaaaaa', 'Post bbbbbbbb'])
  const lists = () => requests.filter((line) => line === 'GET /api/posts').length
  const before = lists()
  await click(named('Unpin Post aaaaaaaa'))
  await until(() => expect(lists()).toBe(before + 1))
  expect(stored[0]).toMatchObject({ isPinned: false, content: '# Long', tags: ['news', 'cup'] })
  await click(named('Pin Post bbbbbbbb'))
  expect(order()).toEqual(['Post bbbbbbbb', 'Post aaaaaaaa'])
  await click(named('Unpin Post bbbbbbbb'))
  expect(order()).toEqual(['Post aaaaaaaa', 'Post bbbbbbbb'])
  const { promise, resolve } = Promise.withResolvers<Response>()
  broken = promise
  await click(named('Pin Post bbbbbbbb'))
  expect(order()).toEqual(['Post bbbbbbbb', 'Post aaaaaaaa'])
  resolve(json({ title: 'No', status: 400 }, 400))
  await settle()
  expect(named('Pin Post bbbbbbbb')).toBeTruthy()
  expect(order()).toEqual(['Post aaaaaaaa', 'Post bbbbbbbb'])
  expect(toasts()).toContainEqual({ title: 'Could not change the pin', message: 'No', role: 'alert' })
  expect(named('Edit Post bbbbbbbb')?.getAttribute('href')).toBe('/posts/bbbbbbbb/edit')
  // Another administrator has renamed and pinned it since the list was read; a change would rewrite its author and time.
  stored[1] = { ...(stored[1] as Post), title: 'Renamed', isPinned: true }
  const puts = () => requests.filter((line) => line.startsWith('PUT')).length
  const putsBefore = puts()
  await click(named('Pin Post bbbbbbbb'))
  await until(() => expect(named('Unpin Renamed')).toBeTruthy())
  expect(puts()).toBe(putsBefore)
  expect(button('New post')?.getAttribute('href')).toBe('/posts/new/edit')
  const visitor = await open('/posts', { stored: two(), role: null })
  expect(visitor.place.querySelector('[aria-label^="Pin "], [aria-label^="Edit "]')).toBeNull()
  expect(visitor.place.textContent).not.toContain('New post')
  visitor.place.remove()
  const read = await open('/posts/aaaaaaaa', { stored: two(), role: 'User' })
  expect(read.place.querySelector('h1')?.textContent).toBe('Post aaaaaaaa')
  expect(button('Edit')).toBeUndefined()
})
