// @vitest-environment jsdom
// Alone: uPlot keeps the document of its first import.
import { MantineThemeProvider } from '@mantine/core'
import { act, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { click, named } from '../../test/acts.ts'
import { feed, game, minute } from '../../test/in-game.tsx'
import { openPage, until } from '../../test/page.tsx'
import { openFeed } from '../api/board.ts'
import { makeTheme } from '../ui/base/theme.ts'
import c from './board-chart.module.css'
import { BoardChart } from './board-chart.tsx'
import { axisTime, axisTop, fromTop, linesOf, markOf, placeNames } from './chart-lines.ts'

vi.hoisted(() => {
  // uPlot reads the resolution of the display, and listens for another one, as soon as it is imported.
  const media = () => ({ matches: false, addEventListener() {}, removeEventListener() {} })
  Object.assign(globalThis, { matchMedia: media, devicePixelRatio: 2 })
})

/** What applies to the calls on a canvas, until `restore`. */
const plain = {
  fillStyle: '',
  strokeStyle: '',
  font: '',
  textAlign: '',
  textBaseline: '',
  lineWidth: 1,
  dash: [] as readonly number[],
  scale: 1,
  globalAlpha: 1,
  /** Origin in pixels of the display. */
  x: 0,
  y: 0,
}
type Call = typeof plain & {
  readonly name: string
  readonly args: readonly unknown[]
  readonly canvas: HTMLCanvasElement
  readonly path: readonly unknown[]
}
/** The calls on any canvas. */
let drawn: Call[]
/** Those of the latest drawing, which begins with an empty canvas. */
const calls = (name: string) =>
  drawn.slice(drawn.findLastIndex((one) => one.name === 'clearRect') + 1).filter((one) => one.name === name)
const texts = () => calls('fillText').map(({ args }) => args[0])
const text = (wanted: unknown) => calls('fillText').find(({ args }) => args[0] === wanted)
/** The marks that were filled. */
const marks = () => calls('fill').filter(({ args }) => args[0] instanceof Shape && args[0].data !== undefined)

class Shape {
  readonly data: string | undefined
  readonly points: (readonly number[])[] = []
  constructor(data?: string) {
    this.data = data
  }
  moveTo(...point: readonly number[]) {
    this.points.push(point)
  }
  lineTo(...point: readonly number[]) {
    this.points.push(point)
  }
  rect() {}
  closePath() {}
}

function context(canvas: HTMLCanvasElement) {
  let state: typeof plain & Record<PropertyKey, unknown> = { ...plain }
  let path: (readonly unknown[])[] = []
  const saved: (typeof state)[] = []
  const acts: Record<PropertyKey, unknown> = {
    canvas,
    measureText: (text: string) => ({ width: text.length * 5 }),
    save: () => saved.push({ ...state }),
    restore: () => {
      state = saved.pop() ?? state
    },
    scale: (by: number) => {
      state.scale *= by
    },
    translate: (x: number, y: number) => {
      state.x += x * state.scale
      state.y += y * state.scale
    },
    setLineDash: (dash: readonly number[]) => {
      state.dash = dash
    },
    beginPath: () => {
      path = []
    },
    lineTo: (...point: readonly unknown[]) => void path.push(point),
  }
  return new Proxy(acts, {
    get: (_, name) => {
      if (name in acts) return acts[name]
      if (name in state) return state[name]
      return (...args: readonly unknown[]) => void drawn.push({ ...state, name: String(name), args, canvas, path })
    },
    set: (_, name, value) => {
      Object.assign(state, { [name]: value })
      return true
    },
  })
}

const tokens = ['--sans', '--page', '--line', '--edge', '--ink', '--ink-2', '--ink-3', '--accent-text', '--c-1', '--c-2']
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
  for (const name of tokens) document.documentElement.style.setProperty(name, `of${name}`)
})
afterEach(() => {
  for (const name of tokens) document.documentElement.style.removeProperty(name)
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
  const state = more.state ?? openFeed(feed(solves))
  const own = state.rows.find(({ team }) => team.name === 'Danes') ?? null
  let setNext = (_: typeof more) => {}
  let setColour = (_: string) => {}
  function Later() {
    const [shown, setShown] = useState(false)
    const [next, set] = useState(more)
    const [theme, setTheme] = useState(() => makeTheme())
    setNext = set
    setColour = (colour) => setTheme(makeTheme(colour))
    if (!shown) return <button type="button" onClick={() => setShown(true)} aria-label="Show" />
    return (
      <MantineThemeProvider theme={theme}>
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
      </MantineThemeProvider>
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
  const change = (next: typeof more) => act(async () => setNext({ ...more, ...next }))
  return { place, state, own, change, colour: (colour: string) => act(async () => setColour(colour)) }
}

test('a running game has the word now below the end of its lines; a game that is over has none', async () => {
  const { change } = await open()
  expect(texts()).toContain('now')
  await change({ phase: 'ended' })
  await until(() => expect(texts()).not.toContain('now'))
  expect(texts()).toContain('Blue')
})

/** A game of two hours that is over. */
const over = { startsAt: Date.parse('2026-01-05T08:00:00Z'), endsAt: Date.parse('2026-01-05T10:00:00Z') }
const ended = (moment: number) => ({ state: openFeed(feed(solves, over)), phase: 'ended' as const, moment })

test('an earlier moment is marked by a dotted line and its time, and the start by a text, at the resolution of the display', async () => {
  const middle = over.startsAt + 60 * minute
  const { change } = await open(ended(middle))
  // Another drawing begins with the same settings.
  for (const moment of [middle, over.startsAt + 90 * minute, middle]) {
    await change({ moment })
    const word = axisTime(moment, over, 'en_US')
    const x = 52 + (752 * (moment - over.startsAt)) / (120 * minute)
    await until(() => expect(text(word)?.args).toEqual([word, x, 251]))
    const line = { strokeStyle: 'of--edge', lineWidth: 1, dash: [1, 2], scale: 2, x: 0, y: 0 }
    expect(calls('stroke')).toContainEqual(
      expect.objectContaining({
        ...line,
        path: [
          [x, 8],
          [x, 236],
        ],
      }),
    )
    const whole = { textBaseline: 'middle', scale: 2, x: 0, y: 0 }
    expect(text(word)).toMatchObject({ ...whole, font: '600 12.5px of--sans', fillStyle: 'of--ink', textAlign: 'center' })
    const start = texts().find((one) => String(one).startsWith('Start')) as string
    expect(text(start)).toMatchObject({ ...whole, font: '400 12.5px of--sans', fillStyle: 'of--ink-3', textAlign: 'left' })
    expect(text(start)?.args).toEqual([start, Math.max(0, 52 - (start.length * 5) / 2), 249])
  }
})

test('times on the axis leave space for the moment that is shown', async () => {
  const [first, second] = [over.startsAt + 30 * minute, over.startsAt + 60 * minute]
  const words = [first, second].map((at) => axisTime(at, over, 'en_US'))
  const { change } = await open(ended(first))
  /** Whether the words are on the axis, which is above the word of the moment. */
  const shown = () => words.map((word) => calls('fillText').some(({ args, scale }) => args[0] === word && scale === 1))
  await until(() => expect(shown()).toEqual([false, true]))
  await change({ moment: second })
  await until(() => expect(shown()).toEqual([true, false]))
})

test('each line ends in its name, with the mark of the line in its colour; the own one is bold', async () => {
  const middle = over.startsAt + 60 * minute
  const { state, own } = await open(ended(middle))
  const lines = linesOf(state, null, own, null, middle)
  expect(lines.map(({ name }) => name)).toEqual(['Blue', 'Red', 'Danes'])
  const colours = ['of--c-1', 'of--c-2', 'of--accent-text']
  const names = lines.map(({ name }) => text(name))
  expect(names).toMatchObject([
    { font: '400 12.5px of--sans', fillStyle: 'of--ink-2', textAlign: 'left' },
    { font: '400 12.5px of--sans', fillStyle: 'of--ink-2', textAlign: 'left' },
    { font: '600 12.5px of--sans', fillStyle: 'of--accent-text', textAlign: 'left' },
  ])
  const heights = lines.map(({ points }) => (points.at(-1)?.[1] ?? 0) / axisTop(lines))
  const places = placeNames(heights, 260)
  expect(names).toMatchObject(places.map((y, index) => ({ args: [lines[index]?.name, 835, y], x: 0, y: 0, scale: 2 })))
  expect(marks()).toMatchObject(
    lines.map((line, index) => ({
      args: [{ data: markOf(line, index) }, 'evenodd'],
      fillStyle: colours[index],
      x: 820 * 2,
      y: ((places[index] ?? 0) - 5) * 2,
    })),
  )
  const leaders = calls('stroke').filter(({ dash }) => String(dash) === '1,3')
  expect(leaders.map(({ path }) => path)).toEqual(
    places.map((y, index) => [
      [428, fromTop(heights[index] ?? 0, 260)],
      [804, fromTop(heights[index] ?? 0, 260)],
      [816, y],
    ]),
  )
})

test('SC-3 lines, names and axes take the colours of the page when these change', async () => {
  const { colour } = await open(ended(over.startsAt + 60 * minute))
  const used = () => [
    ...new Set([...calls('stroke').map((one) => one.strokeStyle), ...calls('fillText').map((one) => one.fillStyle)]),
  ]
  const named = (when: string) =>
    ['accent-text', 'c-1', 'c-2', 'edge', 'ink', 'ink-2', 'ink-3', 'line'].map((name) => `${when}--${name}`)
  await until(() => expect(used().sort()).toEqual(named('of')))
  for (const name of tokens) document.documentElement.style.setProperty(name, `new${name}`)
  await colour('#aa5500')
  await until(() => expect(used().sort()).toEqual(named('new')))
})

test('a name that is too long for the margin is cut; from the fourth team on names are pale', async () => {
  const whole = feed(solves)
  const ids = [21, 22, 23, 24]
  const name = ['Danes', 'A team with a long name 26', 'A team with a longer name 2', 'Fourth']
  const none = ids.map(() => null)
  const teams = { id: ids, participationId: ids, name, bio: none, avatar: none, division: ids.map(() => -1) }
  await open({ state: openFeed({ ...whole, teams }) })
  const names = calls('fillText').filter(({ args }) => args[1] === 835)
  expect(names.map(({ args, fillStyle }) => [args[0], fillStyle])).toEqual([
    ['A team with a longer name…', 'of--ink-2'],
    ['A team with a long name 26', 'of--ink-2'],
    ['Danes', 'of--accent-text'],
    ['Fourth', 'of--ink-3'],
  ])
})

test('the axes have round times and points at their places, and a line rises in steps', async () => {
  const { place } = await open(ended(over.startsAt + 15 * minute))
  // The start has a separate text, and the moment that is shown has space around it.
  const times = ['', '', '08:30', '08:45', '09:00', '09:15', '09:30', '09:45', 'Mon 10:00']
  expect(calls('fillText').flatMap(({ args, scale }) => (scale === 1 ? [args] : []))).toEqual([
    ...times.map((time, index) => [time, 104 + index * 188, 486]),
    ...[472, 381, 290, 198, 107, 16].map((y, index) => [(index * 200).toLocaleString('en-US'), 88, y]),
  ])
  const line = calls('stroke').flatMap(({ args: [shape] }) => (shape instanceof Shape ? [shape.points] : []))[1]
  expect([...new Map(line?.map((point) => [String(point), point])).values()]).toEqual([
    [104, 472],
    [229, 472],
    [229, 262],
    [292, 262],
  ])
  expect(['u-cursor-x', 'u-cursor-y', 'u-cursor-pt', 'u-legend'].filter((name) => place.querySelector(`.${name}`))).toEqual([
    'u-cursor-x',
  ])
})

test('the menu appears with the drawing; on a narrow chart the names are below it', async () => {
  const { place } = await open()
  const menu = () => named('Chart')?.closest<HTMLElement>('div[hidden]')
  const below = () => [...place.querySelectorAll('figure > ul > li')].map(({ textContent }) => textContent)
  expect(named('Chart')).toBeTruthy()
  expect([menu(), below()]).toEqual([null, []])
  drawn = []
  await resize(600)
  await until(() => expect(texts()).toContain('now'))
  expect([below(), texts().includes('Blue'), plot().style.width]).toEqual([[], true, `${600 - 52 - 196}px`])
  drawn = []
  await resize(599)
  await until(() => expect(below()).toEqual(['Blue', 'Red', 'Danes']))
  await until(() => expect(texts()).toContain('now'))
  expect([texts().includes('Blue'), plot().style.width]).toEqual([false, `${599 - 52 - 16}px`])
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
  expect(copied[0]).toMatchObject({ args: [0, 0, 2000, 520], fillStyle: 'of--page', canvas: { width: 2000, height: 520 } })
  expect(copied[1]?.args).toEqual([document.querySelector('figure canvas'), 0, 0])
})

const plot = () => document.querySelector<HTMLElement>('figure .u-over') as HTMLElement
const mouse = (type: string, x: number, target: EventTarget = plot()) =>
  act(async () => {
    const event = new MouseEvent(type, { bubbles: true, clientX: x, clientY: 20, button: 0 })
    // uPlot ignores movements of no length.
    Object.defineProperty(event, 'movementX', { value: 1 })
    target.dispatchEvent(event)
  })
/** Drags over the middle of the chart. */
async function zoom(width = 20) {
  await mouse('mouseenter', 300)
  await mouse('mousemove', 300)
  await mouse('mousedown', 300)
  await mouse('mousemove', 300 + width)
  drawn = []
  await mouse('mouseup', 300 + width, document)
}
const showsStart = () => texts().some((text) => String(text).startsWith('Start'))

test('a drag shows a part of the time, also after it is drawn again; the menu and a double click show everything again', async () => {
  const { change } = await open()
  expect(showsStart()).toBe(true)
  // A click of a hand that trembles.
  await zoom(2)
  await change({ own: null })
  await until(() => expect(texts()).not.toEqual([]))
  expect(showsStart()).toBe(true)
  await change({})
  for (const back of ['menu', 'double click']) {
    await zoom()
    await until(() => expect(texts()).not.toEqual([]))
    await until(() => expect([back, showsStart()]).toEqual([back, false]))
    // The time that is shown ends before now.
    expect(texts()).not.toContain('now')
    drawn = []
    await change({ own: null })
    await until(() => expect(texts()).not.toEqual([]))
    expect([back, showsStart()]).toEqual([back, false])
    drawn = []
    if (back === 'menu') {
      await click(named('Chart'))
      await click(item('Reset zoom'))
    } else await mouse('dblclick', 300)
    // At once, before anything else draws it again.
    expect([back, showsStart()]).toEqual([back, true])
    await change({})
  }
})

test('the moment under the pointer has a list of the points at that time, on the side with more space; it disappears with the pointer', async () => {
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(100)
  await open()
  const tip = () => plot().lastElementChild as HTMLElement
  const words = () => [...tip().children].map(({ textContent }) => textContent)
  expect(tip().hidden).toBe(true)
  await mouse('mouseenter', 100)
  await mouse('mousemove', 100)
  expect([tip().hidden, tip().className]).toEqual([false, c.tip])
  expect(words()).toEqual([expect.stringMatching(/\d\d:\d\d:\d\d$/), '460  Red', '0  Blue', '0  Danes'])
  expect(tip().style.transform).toBe('translateX(112px)')
  drawn = []
  await mouse('mousemove', 700)
  // The line that is near the pointer is clear, the others are pale.
  const lines = calls('stroke').filter(({ strokeStyle }) => /of--(c-|accent)/.test(strokeStyle))
  expect(lines.map(({ strokeStyle, globalAlpha }) => [strokeStyle, globalAlpha])).toEqual([
    ['of--c-1', 1],
    ['of--c-2', 0.25],
    ['of--accent-text', 0.25],
  ])
  expect(words().slice(1)).toEqual(['940  Blue', '460  Red', '0  Danes'])
  expect(tip().style.transform).toBe('translateX(588px)')
  // A quarter of the two hours: the moment of a solve has its points.
  for (const [x, points] of [
    [187, 460],
    [188, 940],
  ] as const) {
    await mouse('mousemove', x)
    expect([x, words().at(1)]).toEqual([x, `${points}  Blue`])
  }
  await mouse('mouseleave', 800)
  expect(tip().hidden).toBe(true)
})

test('a division or team that the reader chooses is shown at once', async () => {
  const whole = feed(solves)
  const state = openFeed({ ...whole, divisions: ['North', 'South'], teams: { ...whole.teams, division: [0, 1, 0] } })
  const { place, change } = await open({ state })
  const shown = () => [...place.querySelectorAll('figcaption th')].map(({ textContent }) => textContent)
  expect(shown()).toEqual(['Blue', 'Red', 'Danes'])
  for (const [division, added, names] of [
    ['North', null, ['Blue', 'Danes']],
    ['South', null, ['Red']],
    ['South', 23, ['Blue', 'Red']],
    [null, null, ['Blue', 'Red', 'Danes']],
  ] as const) {
    await change({ own: null, division, added })
    expect(shown()).toEqual(names)
  }
})

test('other lines replace the drawing; a chart without width draws nothing', async () => {
  const { place, state, change } = await open()
  const drawing = () => place.querySelectorAll('canvas')
  const [first] = drawing()
  await change({ own: null })
  const [second, ...more] = drawing()
  expect([second === first, more]).toEqual([false, []])
  await change({ own: null, moment: state.startsAt + 30 * minute })
  expect([...drawing()]).toEqual([second])
  await resize(0)
  expect(place.querySelectorAll('canvas')).toHaveLength(0)
  drawn = []
  await change({ own: null, moment: state.startsAt + 15 * minute })
  expect(drawn).toEqual([])
})

test('the lines are drawn up to the moment that is shown', async () => {
  const { change } = await open(ended(over.endsAt))
  const ends = () =>
    calls('stroke').flatMap(({ args: [shape] }) =>
      shape instanceof Shape ? [Math.max(...shape.points.map(([x = 0]) => x))] : [],
    )
  const right = (52 + 752) * 2
  await until(() => expect(ends()).toEqual([right, right, right]))
  await change({ moment: over.startsAt + 60 * minute })
  await until(() => expect(ends()).toEqual([428 * 2, 428 * 2, 428 * 2]))
})
