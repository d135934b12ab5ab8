// @vitest-environment jsdom
// Alone: uPlot keeps the document of its first import.
import { act, useState } from 'react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { click, named } from '../../test/acts.ts'
import { feed, game } from '../../test/in-game.tsx'
import { openPage, until } from '../../test/page.tsx'
import { openFeed } from '../api/board.ts'
import { BoardChart } from './board-chart.tsx'
import { colourOf, linesOf, markOf } from './chart-lines.ts'

vi.hoisted(() => {
  // uPlot listens for the resolution of the display as soon as it is imported.
  const media = () => ({ matches: false, addEventListener() {}, removeEventListener() {} })
  Object.assign(globalThis, { matchMedia: media })
})

/** What was drawn: the calls on any canvas, with the fill colour at that time. */
let drawn: { readonly name: string; readonly args: readonly unknown[]; readonly fill: unknown }[]
/** Those of the latest drawing, which begins with an empty canvas. */
const calls = (name: string) =>
  drawn.slice(drawn.findLastIndex((one) => one.name === 'clearRect') + 1).filter((one) => one.name === name)
const texts = () => calls('fillText').map(({ args }) => args[0])
/** Shapes that were filled. */
const shapes = () =>
  calls('fill').flatMap(({ args: [shape, rule], fill }) => (shape instanceof Shape ? [[shape.data, rule, fill]] : []))

class Shape {
  readonly data: string | undefined
  constructor(data?: string) {
    this.data = data
  }
  moveTo() {}
  lineTo() {}
  rect() {}
  arc() {}
  closePath() {}
}

function context(canvas: HTMLCanvasElement) {
  const values: Record<PropertyKey, unknown> = { canvas, measureText: (text: string) => ({ width: text.length * 7 }) }
  return new Proxy(values, {
    get: (_, name) =>
      name in values
        ? values[name]
        : (...args: readonly unknown[]) => void drawn.push({ name: String(name), args, fill: values.fillStyle }),
  })
}

let width: number
let sizes: Set<() => void>
const resize = (to: number) =>
  act(async () => {
    width = to
    for (const changed of sizes) changed()
  })

beforeEach(() => {
  drawn = []
  sizes = new Set()
  width = 1000
  const contexts = new WeakMap<HTMLCanvasElement, object>()
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation(function (this: HTMLCanvasElement) {
    const made = contexts.get(this) ?? context(this)
    contexts.set(this, made)
    return made as never
  })
  vi.spyOn(HTMLCanvasElement.prototype, 'toDataURL').mockReturnValue('data:image/png;base64,AA==')
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockImplementation(() => width)
  vi.stubGlobal('Path2D', Shape)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const item = (text: string) => [...document.querySelectorAll('[role=menuitem]')].find(({ textContent }) => textContent === text)

const solves = [
  [1, 0, 10],
  [2, 0, 20],
  [2, 1, 30],
] as const

/** The chart of a game that runs from an hour ago to in an hour, mounted after the page has replaced the observers of sizes. */
async function open(more: Partial<Parameters<typeof BoardChart>[0]> = {}) {
  const state = openFeed(feed(solves))
  const own = state.rows.find(({ team }) => team.name === 'Danes') ?? null
  let setNext = (_: typeof more) => {}
  function Later() {
    const [shown, setShown] = useState(false)
    const [next, set] = useState(more)
    setNext = set
    if (!shown) return <button type="button" onClick={() => setShown(true)} aria-label="Show" />
    return (
      <BoardChart
        game={game({ title: 'Harbour: Cup?' })}
        phase="running"
        state={state}
        division={null}
        own={own}
        added={null}
        moment={null}
        height={260}
        {...next}
      />
    )
  }
  const place = await openPage(<Later />)
  vi.stubGlobal(
    'ResizeObserver',
    class extends ResizeObserver {
      readonly changed: () => void
      constructor(changed: () => void) {
        super(changed)
        this.changed = changed
      }
      override observe(...args: Parameters<ResizeObserver['observe']>) {
        super.observe(...args)
        sizes.add(this.changed)
      }
      override disconnect() {
        super.disconnect()
        sizes.delete(this.changed)
      }
    },
  )
  await click(named('Show'))
  await resize(width)
  await until(() => expect(texts()).not.toEqual([]))
  return { place, state, own, change: (next: typeof more) => act(async () => setNext(next)) }
}

test('a running game has the word now below the end of its lines; a game that is over has none', async () => {
  const { change } = await open()
  expect(texts()).toContain('now')
  await change({ phase: 'ended' })
  await until(() => expect(texts()).not.toContain('now'))
  expect(texts()).toContain('Blue')
})

test('each line ends in its name, with the mark of the line in its colour', async () => {
  const colours = ['--accent-text', '--c-1', '--c-2']
  const { style } = document.documentElement
  for (const name of colours) style.setProperty(name, `colour of ${name}`)
  onTestFinished(() => {
    for (const name of colours) style.removeProperty(name)
  })
  const { state, own } = await open()
  const lines = linesOf(state, null, own, null, Date.now())
  expect(lines.map(({ name }) => name)).toEqual(['Blue', 'Red', 'Danes'])
  expect(texts().slice(-3)).toEqual(['Blue', 'Red', 'Danes'])
  expect(shapes().slice(-3)).toEqual(
    lines.map((line, index) => [markOf(line, index), 'evenodd', `colour of ${colourOf(line, index)}`]),
  )
})

test('a name that is too long for the margin is cut', async () => {
  const whole = feed(solves)
  const long = 'A team with a very long name'
  await open({ own: null, state: openFeed({ ...whole, teams: { ...whole.teams, name: ['Danes', 'Red', long] } }) })
  expect(texts()).not.toContain(long)
  expect(texts().find((text) => String(text).startsWith('A team'))).toMatch(/^A team with a ve\S*…$/)
})

test('the menu appears with the drawing; on a narrow chart the names are below it', async () => {
  const { place } = await open()
  const menu = () => named('Chart')?.closest<HTMLElement>('div[hidden]')
  const below = () => [...place.querySelectorAll('figure > ul > li')].map(({ textContent }) => textContent)
  expect(named('Chart')).toBeTruthy()
  expect([menu(), below()]).toEqual([null, []])
  drawn = []
  await resize(500)
  await until(() => expect(below()).toEqual(['Blue', 'Red', 'Danes']))
  await until(() => expect(texts()).toContain('now'))
  expect(texts()).not.toContain('Blue')
})

test('the picture of the chart is downloaded with the title of the game, without signs that file names cannot have', async () => {
  const saved: unknown[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push([this.download, this.href])
  })
  await open()
  await click(named('Chart'))
  drawn = []
  await click(item('Save as image'))
  expect(saved).toEqual([['Harbour_ Cup_.png', 'data:image/png;base64,AA==']])
  // On the colour of the page, not transparent.
  const copied = drawn.filter(({ name }) => name === 'fillRect' || name === 'drawImage')
  expect(copied.map(({ name }) => name)).toEqual(['fillRect', 'drawImage'])
  expect(copied[1]?.args[0]).toBe(document.querySelector('figure canvas'))
})

const over = () => document.querySelector<HTMLElement>('figure .u-over') as HTMLElement
const mouse = (type: string, x: number, target: EventTarget = over()) =>
  act(async () => {
    const event = new MouseEvent(type, { bubbles: true, clientX: x, clientY: 20, button: 0 })
    // uPlot ignores movements of no length.
    Object.defineProperty(event, 'movementX', { value: 1 })
    target.dispatchEvent(event)
  })
/** Drags over the middle of the chart. */
async function zoom() {
  await mouse('mouseenter', 300)
  await mouse('mousemove', 300)
  await mouse('mousedown', 300)
  await mouse('mousemove', 320)
  drawn = []
  await mouse('mouseup', 320, document)
}
const showsStart = () => texts().some((text) => String(text).startsWith('Start'))

test('a drag shows a part of the time, also after it is drawn again; the menu and a double click show everything again', async () => {
  const { change } = await open()
  expect(showsStart()).toBe(true)
  for (const back of ['menu', 'double click']) {
    await zoom()
    await until(() => expect(texts()).not.toEqual([]))
    await until(() => expect([back, showsStart()]).toEqual([back, false]))
    drawn = []
    await change({ own: null })
    await until(() => expect(texts()).not.toEqual([]))
    expect([back, showsStart()]).toEqual([back, false])
    drawn = []
    if (back === 'menu') {
      await click(named('Chart'))
      await click(item('Reset zoom'))
    } else await mouse('dblclick', 300)
    await until(() => expect([back, showsStart()]).toEqual([back, true]))
    await change({})
  }
})

test('the moment under the pointer has a list of the points at that time, on the side with more space; it disappears with the pointer', async () => {
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(100)
  await open()
  const tip = () => over().lastElementChild as HTMLElement
  const words = () => [...tip().children].map(({ textContent }) => textContent)
  expect(tip().hidden).toBe(true)
  await mouse('mouseenter', 100)
  await mouse('mousemove', 100)
  expect(tip().hidden).toBe(false)
  expect(words()).toEqual([expect.stringMatching(/\d\d:\d\d:\d\d$/), '460  Red', '0  Blue', '0  Danes'])
  expect(tip().style.transform).toBe('translateX(112px)')
  await mouse('mousemove', 700)
  expect(words().slice(1)).toEqual(['940  Blue', '460  Red', '0  Danes'])
  expect(tip().style.transform).toBe('translateX(588px)')
  await mouse('mouseleave', 800)
  expect(tip().hidden).toBe(true)
})
