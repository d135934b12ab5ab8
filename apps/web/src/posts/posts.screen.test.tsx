// @vitest-environment jsdom

import { useQueryClient } from '@tanstack/react-query'
import { act } from 'react'
import { type NavigateFunction, Route, Routes, useLocation, useNavigate } from 'react-router'
import { afterEach, expect, test, vi } from 'vitest'
import { settle } from '../../test/acts.ts'
import { json, openPage, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import PostScreen from './post.screen.tsx'
import PostsScreen from './posts.screen.tsx'

afterEach(() => void vi.unstubAllGlobals())

const posts = Array.from({ length: 23 }, (_, index) => ({
  id: `post${String(index).padStart(4, '0')}`,
  title: `Post ${index}`,
  summary: index === 0 ? 'In **short**' : '',
  isPinned: index === 0,
  tags: index % 2 === 0 ? ['even'] : ['uneven'],
  authorName: index === 0 ? null : 'Admin',
  authorAvatar: null,
  time: '2026-11-20T08:00:00+00:00',
}))

let navigate: NavigateFunction
function Where() {
  navigate = useNavigate()
  // As in the app, where cached answers become stale.
  useQueryClient().setDefaultOptions({ queries: { retry: false, staleTime: 0 } })
  const { pathname, search } = useLocation()
  return <output>{pathname + search}</output>
}
const where = () => document.querySelector('output')?.textContent
const titles = () => [...document.querySelectorAll('h2')].map((one) => one.textContent)

type Answer = (input: string, init?: RequestInit) => Response | Promise<Response>
async function open(address: string, answer: Answer = () => json(posts)) {
  let requests = 0
  vi.stubGlobal('scrollTo', vi.fn())
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    if (input.includes('post0000')) requests++
    return answer(input, init)
  })
  const place = await openPage(
    <>
      <Where />
      <Routes>
        <Route path="/posts" element={<PostsScreen />} />
        <Route path="/posts/:postId" element={<PostScreen />} />
      </Routes>
    </>,
    [
      [keys.config, { title: 'Harbour' }],
      [keys.profile, null],
    ],
    address,
  )
  await settle()
  return { place, requests: () => requests }
}

test('P2.34 POST-1 a page has ten posts; the number of the page is in the address, and turning pages scrolls to the top', async () => {
  const { place } = await open('/posts?page=3')
  expect(titles()).toEqual(['Post 20', 'Post 21', 'Post 22'])
  expect(place.querySelector('[aria-current=page]')?.textContent).toBe('3')
  expect(place.querySelector('h2 a')?.getAttribute('href')).toBe('/posts/post0020')
  const second = [...place.querySelectorAll<HTMLElement>('button')].find((one) => one.textContent === '2')
  await act(async () => second?.click())
  expect(titles()).toHaveLength(10)
  expect(where()).toBe('/posts?page=2')
  expect(window.scrollTo).toHaveBeenCalledWith({ top: 0 })
  place.remove()
  const beyond = await open('/posts?page=9')
  expect(titles()).toEqual(['Post 20', 'Post 21', 'Post 22'])
  beyond.place.remove()
  const between = await open('/posts?page=2.5')
  expect(titles()[0]).toBe('Post 10')
  between.place.remove()
  await open('/posts?page=-2')
  expect(titles()).toEqual(Array.from({ length: 10 }, (_, at) => `Post ${at}`))
})

test('P2.34 ten posts have no pager; eleven have one', async () => {
  for (const [count, pages] of [
    [10, []],
    [11, ['1', '2']],
  ] as const) {
    const { place } = await open('/posts', () => json(posts.slice(0, count)))
    expect(titles()).toHaveLength(10)
    const numbers = [...place.querySelectorAll('button')].map(({ textContent }) => textContent ?? '')
    expect(numbers.filter((text) => /^\d+$/.test(text))).toEqual(pages)
    place.remove()
  }
})

test('POST-2 a tag filters the list, and one click shows all posts', async () => {
  const { place } = await open('/posts')
  const rows = () => [...place.querySelectorAll('ul > li')].slice(0, 2)
  await until(() => expect(place.querySelectorAll('strong')).toHaveLength(1))
  // Only the first one has a summary, and is pinned.
  expect(rows().map(({ children }) => children.length)).toEqual([3, 2])
  expect(rows().map(({ textContent }) => textContent?.includes('Pinned'))).toEqual([true, false])
  // Without an author it is by the site.
  expect(rows().map(({ lastChild }) => /Harbour|Admin/.exec(lastChild?.textContent ?? '')?.[0])).toEqual(['Harbour', 'Admin'])
  await act(async () => [...place.querySelectorAll<HTMLElement>('a')].find((one) => one.textContent === '#even')?.click())
  expect(where()).toBe('/posts?tag=even')
  expect(place.textContent).toContain('Posts tagged even')
  expect(titles()).toHaveLength(10)
  expect(titles()).not.toContain('Post 1')
  await act(async () => [...place.querySelectorAll<HTMLElement>('button')].find((one) => one.textContent === '2')?.click())
  expect(where()).toBe('/posts?tag=even&page=2')
  await act(async () => [...place.querySelectorAll<HTMLElement>('button')].find((one) => one.textContent === 'Show all')?.click())
  expect(titles()).toContain('Post 1')
  expect(where()).toBe('/posts')
  place.remove()
  // A tag without posts can be removed, too.
  const none = await open('/posts?tag=odd')
  expect([titles(), none.place.textContent?.includes('No posts yet')]).toEqual([[], false])
  expect(none.place.textContent).toContain('Posts tagged oddShow all')
})

test('a list that was just read is not read again, and a request that is not needed any more is cancelled', async () => {
  let lists = 0
  let signal: AbortSignal | null | undefined
  await open('/posts', (input, init) => {
    if (input === '/api/posts') lists++
    if (input.includes('post0001')) signal = init?.signal
    return input === '/api/posts' ? json(posts) : new Promise(() => {})
  })
  await act(async () => document.querySelector<HTMLElement>('a[href="/posts/post0001"]')?.click())
  await until(() => expect(signal?.aborted).toBe(false))
  await act(async () => navigate('/posts'))
  await until(() => expect(titles()).toHaveLength(10))
  expect(signal?.aborted).toBe(true)
  expect(lists).toBe(1)
})

test('a list that is left before it was read is cancelled', async () => {
  let signal: AbortSignal | null | undefined
  await open('/posts', (_, init) => {
    signal = init?.signal
    return new Promise(() => {})
  })
  expect(signal?.aborted).toBe(false)
  await act(async () => navigate('/elsewhere'))
  await until(() => expect(signal?.aborted).toBe(true))
})

test('POST-3 without posts a message describes what will appear', async () => {
  const { place } = await open('/posts', () => json([]))
  expect(place.textContent).toContain('No posts yet')
})

test('P2.35 POST-4 POST-5 a deleted post is not found; an existing one is requested once, and may have no author', async () => {
  const missing = await open('/posts/post9999', () => json({ title: 'Post not found', status: 404 }, 404))
  expect(missing.place.textContent).toContain('Page does not exist')
  missing.place.remove()
  const broken = await open('/posts/post9998', () => json({ title: 'Out of order', status: 500 }, 500))
  expect(broken.place.textContent).toContain('Out of order')
  broken.place.remove()
  const { place, requests } = await open('/posts/post0000', () => json({ ...posts[0], content: 'Text' }))
  // Title, author and time are followed by the text and the way back.
  await until(() => expect(place.querySelector('article')?.textContent).toMatch(/^Post 0PinnedHarbour.*#evenText\s*All posts$/))
  expect([...place.querySelectorAll('article a')].at(-1)?.getAttribute('href')).toBe('/posts')
  expect(place.querySelector('footer')).toBeTruthy()
  expect(document.title).toContain('Post 0')
  const before = requests()
  await act(async () => void window.dispatchEvent(new Event('visibilitychange')))
  await act(async () => void window.dispatchEvent(new Event('focus')))
  await settle()
  expect(requests()).toBe(before)
})
