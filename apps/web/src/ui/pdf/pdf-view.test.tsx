// @vitest-environment jsdom
import { act, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { button, click, settle } from '../../../test/acts.ts'
import { openPage } from '../../../test/page.tsx'
import { PdfView } from './pdf-view.tsx'

const drawn: number[] = []
const stopped: number[] = []
let pages = 3
let broken: 'file' | 'page' | undefined
const opened: string[] = []
const closed: string[] = []
const widths: number[] = []
/** Of the place of the pages. */
let width = 700
vi.mock('./pdf-engine.ts', () => ({
  openPdf: (url: string) => {
    opened.push(url)
    return {
      ready: broken === 'file' ? Promise.reject(new Error('no PDF')) : Promise.resolve({ numPages: pages }),
      close: () => closed.push(url),
    }
  },
  ratioOf: async (_: unknown, number: number) => (number === 3 ? 0.7 : 1.5),
  drawPage: (_: unknown, number: number, place: HTMLElement, width: number) => {
    if (broken === 'page' && number === 2) return { done: Promise.reject(new Error('bad page')), stop() {} }
    drawn.push(number)
    widths.push(width)
    place.append(`words of ${number}`)
    return { done: Promise.resolve(), stop: () => void stopped.push(number) }
  },
}))
vi.mock('@mantine/hooks', async (original) => ({
  ...(await original<typeof import('@mantine/hooks')>()),
  useElementSize: () => ({ ref: { current: null }, width, height: 0 }),
}))

/** Pages that are in or near the visible area. */
let near = new Set([1])
let look: () => void = () => {}
const observers = new Set<Observer>()
class Observer {
  #hear: (entries: { isIntersecting: boolean }[]) => void
  readonly margin: string | undefined
  constructor(hear: (entries: { isIntersecting: boolean }[]) => void, options?: IntersectionObserverInit) {
    this.#hear = hear
    this.margin = options?.rootMargin
    observers.add(this)
  }
  observe(place: HTMLElement) {
    const number = Number(/\d+/.exec(place.getAttribute('aria-label') ?? '')?.[0])
    const say = () => this.#hear([{ isIntersecting: near.has(number) }])
    const before = look
    look = () => {
      before()
      say()
    }
    say()
  }
  disconnect() {
    observers.delete(this)
  }
}

beforeEach(() => {
  for (const list of [drawn, stopped, opened, closed, widths]) list.length = 0
  observers.clear()
  width = 700
  pages = 3
  broken = undefined
  near = new Set([1])
  look = () => {}
  vi.stubGlobal('IntersectionObserver', Observer)
})
afterEach(() => void vi.unstubAllGlobals())

test('WR-1 each page has its place at once, is rendered when it comes near and released when it is far', async () => {
  const place = await openPage(<PdfView url="/assets/1/a.pdf" name="Red" />)
  await settle()
  expect([...place.querySelectorAll('.pdf-page')].map((page) => page.getAttribute('aria-label'))).toEqual([
    'Page 1 of 3',
    'Page 2 of 3',
    'Page 3 of 3',
  ])
  // A page that is not drawn yet has the shape of the first one.
  expect([...place.querySelectorAll<HTMLElement>('.pdf-page')].map(({ style }) => style.aspectRatio)).toEqual(
    Array(3).fill('1 / 1.5'),
  )
  expect(drawn).toEqual([1])
  expect(Array.from(observers, ({ margin }) => margin)).toEqual(Array(3).fill('800px'))
  near = new Set([3])
  await act(async () => look())
  await settle()
  expect([drawn, stopped]).toEqual([[1, 3], [1]])
  expect([...place.querySelectorAll<HTMLElement>('.pdf-page')].map(({ style }) => style.aspectRatio)).toEqual([
    '1 / 1.5',
    '1 / 1.5',
    '1 / 0.7',
  ])
  expect([...place.querySelectorAll('.pdf-page')].map((page) => page.textContent)).toEqual(['', '', 'words of 3'])
})

test('WR-1 a broken file shows an error and offers the download and another try; a broken page is named', async () => {
  broken = 'file'
  const place = await openPage(<PdfView url="/assets/1/a.pdf" name="Red" />)
  await settle()
  expect(place.textContent).toContain('Cannot display this file')
  expect(place.querySelector('a[download]')?.getAttribute('href')).toBe('/assets/1/a.pdf')
  await click(button('Retry'))
  expect([opened.length, place.textContent?.includes('Cannot display this file')]).toEqual([2, true])
  broken = undefined
  await click(button('Retry'))
  expect([opened, place.querySelector('.pdf')?.textContent]).toEqual([Array(3).fill('/assets/1/a.pdf'), 'words of 1'])
  broken = 'page'
  near = new Set([1, 2])
  const other = await openPage(<PdfView url="/assets/2/a.pdf" name="Blue" />)
  await settle()
  expect(other.querySelector('[role=alert]')?.textContent).toBe('Cannot display page 2.')
  expect(other.textContent).toContain('words of 1')
  // When it comes near again, it is drawn again.
  near = new Set([1])
  await act(async () => look())
  broken = undefined
  near = new Set([1, 2])
  await act(async () => look())
  await settle()
  expect([other.querySelector('[role=alert]'), drawn.at(-1)]).toEqual([null, 2])
})

test('another file closes the one before; a file that is replaced while the engine loads is not opened', async () => {
  let choose = (_: string) => {}
  function View() {
    const [file, setFile] = useState('1')
    choose = setFile
    return <PdfView url={file} name="Red" />
  }
  const place = await openPage(<View />)
  await settle()
  expect([opened, closed]).toEqual([['1'], []])
  act(() => choose('2'))
  expect([place.querySelectorAll('.pdf-page').length, observers.size]).toEqual([0, 0])
  act(() => choose('3'))
  await settle()
  expect([opened, closed]).toEqual([['1', '3'], ['1']])
})

test('WR-1 a page is drawn again for another width of the window, in whole pixels', async () => {
  let resize = (_: number) => {}
  function View() {
    const [, setWidth] = useState(width)
    resize = (to) => {
      width = to
      setWidth(to)
    }
    return <PdfView url="/assets/1/a.pdf" name="Red" />
  }
  await openPage(<View />)
  await settle()
  act(() => resize(500.9))
  await settle()
  expect([drawn, widths, stopped]).toEqual([[1, 1], [700, 500], [1]])
})
