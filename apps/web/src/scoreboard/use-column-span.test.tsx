// @vitest-environment jsdom
import { act, useEffect, useRef, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { openPage } from '../../test/page.tsx'
import { useColumnSpan } from './use-column-span.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** A list of columns of 24 pixels, with 100 pixels before and 20 after them. */
async function open(start: number) {
  const size = { client: 580, left: 0, reads: 0, renders: 0 }
  let count = start
  let resized = () => {}
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockImplementation(() => size.client)
  vi.spyOn(Element.prototype, 'scrollWidth', 'get').mockImplementation(() => 120 + count * 24)
  vi.spyOn(Element.prototype, 'scrollLeft', 'get').mockImplementation(() => {
    size.reads++
    return size.left
  })
  let setNext = (_: number) => {}
  function Columns() {
    const [shown, setShown] = useState(start)
    setNext = setShown
    const scroller = useRef<HTMLDivElement>(null)
    const { from, to } = useColumnSpan(scroller, shown, { before: 100, after: 20 })
    useEffect(() => void size.renders++)
    return <div ref={scroller} id="columns">{`${from}-${to}`}</div>
  }
  const place = await openPage(<Columns />)
  // The observers of the page itself never report a size; the next ones do.
  vi.stubGlobal(
    'ResizeObserver',
    class {
      readonly act: () => void
      constructor(act: () => void) {
        this.act = act
      }
      observe() {
        resized = this.act
      }
      disconnect() {}
    },
  )
  const element = place.querySelector('#columns') as HTMLElement
  return {
    size,
    element,
    span: () => element.textContent,
    scroll: (left: number) =>
      act(async () => {
        size.left = left
        element.dispatchEvent(new Event('scroll'))
      }),
    resize: (width: number) =>
      act(async () => {
        size.client = width
        resized()
      }),
    change: (to: number) =>
      act(async () => {
        count = to
        setNext(to)
      }),
  }
}

test('P2.29 a board of up to 48 columns is rendered whole, a wider one in groups of four, with one beyond each edge', async () => {
  const { span, scroll, resize, change } = await open(48)
  expect(span()).toBe('0-48')
  await change(49)
  expect(span()).toBe('0-24')
  await change(100)
  // Twenty columns fit.
  for (const [left, wanted] of [
    [0, '0-24'],
    [95, '0-28'],
    [480, '16-44'],
    [575, '16-48'],
    [576, '20-48'],
    [1920, '76-100'],
  ] as const) {
    await scroll(left)
    expect([left, span()]).toEqual([left, wanted])
  }
  await resize(340)
  expect(span()).toBe('76-96')
  await change(20)
  expect(span()).toBe('0-20')
})

test('scrolling within a group renders nothing, and is measured once, before the list renders', async () => {
  const { size, element, scroll, change } = await open(60)
  await change(100)
  await scroll(500)
  const { renders } = size
  size.reads = 0
  let readsBefore = 0
  element.addEventListener('scroll', () => {
    readsBefore = size.reads
  })
  await scroll(510)
  expect([size.renders, size.reads, readsBefore]).toEqual([renders, 2, 2])
})
