import type { Language } from '@vexil/core/vocabulary'
import uPlot from 'uplot'
import type { BoardState } from '../api/board.ts'
import { formatNumber } from '../ui/text/text-files.ts'
import { timeTicks } from './chart-data.ts'
import {
  axisTime,
  axisTop,
  colourOf,
  frame,
  fromTop,
  type Line,
  markOf,
  namedLines,
  narrowest,
  placeNames,
} from './chart-lines.ts'

export interface Facts {
  readonly state: Pick<BoardState, 'startsAt' | 'endsAt'>
  readonly lines: readonly Line[]
  readonly running: boolean
  /** End of the time axis, ms. */
  readonly ends: number
  /** End of the lines, ms. */
  readonly until: number
  /** Size of the chart in pixels. */
  readonly width: number
  readonly height: number
  readonly language: Language
  readonly now: string
  readonly start: string
}

/** Width of a label below the axis, and the space around the current time without labels, in pixels. */
const labelWidth = 72
const nowMargin = 56

export const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
const font = (weight = 400) => `${weight} 12.5px ${token('--sans')}`

const pointsAtEnd = ({ points }: Line) => points.at(-1)?.[1] ?? 0

/** Options that are set once per chart; `facts` gives the current values at each drawing. */
export function chartOptions(facts: () => Facts, shown: () => { min: number; max: number }, plugin: uPlot.Plugin): uPlot.Options {
  const { lines, width, height } = facts()
  // Colours are read at each drawing, since those of the page may have changed.
  const text = { stroke: () => token('--ink-3'), font: font(), ticks: { show: false } }
  return {
    width,
    height,
    ms: 1,
    legend: { show: false },
    padding: [frame.top, width < narrowest ? 16 : frame.right, 0, 0],
    focus: { alpha: 0.25 },
    cursor: {
      y: false,
      points: { show: false },
      focus: { prox: 16 },
    },
    plugins: [plugin],
    scales: { x: { auto: false, range: () => [shown().min, shown().max] }, y: { range: () => [0, axisTop(facts().lines)] } },
    axes: [
      {
        ...text,
        size: frame.bottom,
        gap: 7,
        grid: { show: false },
        splits: (chart, _, from, to) => timeTicks(from, to, chart.bbox.width / uPlot.pxRatio, labelWidth),
        values: (chart, ticks) => ticks.map((at) => wordAt(chart, at, facts())),
      },
      {
        ...text,
        size: frame.left,
        gap: 8,
        space: 28,
        grid: { stroke: () => token('--line'), width: 1 },
        values: (_, ticks) => ticks.map((points) => formatNumber(points, facts().language)),
      },
    ],
    series: [
      {},
      ...lines.map((line, index) => ({
        stroke: () => token(colourOf(line, index)),
        width: line.own ? 2.5 : line.strong ? 2 : 1,
        alpha: line.strong ? 1 : 0.5,
        points: { show: false },
        ...(uPlot.paths.stepped && { paths: uPlot.paths.stepped({ align: 1 }) }),
      })),
    ],
    hooks: { draw: [(chart) => drawLabels(chart, facts())] },
  }
}

function wordAt(chart: uPlot, at: number, { state, ends, running, until, language }: Facts): string {
  // The label of the start is long and at the edge: it is drawn separately.
  if (at === state.startsAt) return ''
  const distance = Math.abs(chart.valToPos(at, 'x') - chart.valToPos(until, 'x'))
  return running && distance < nowMargin ? '' : axisTime(at, { startsAt: state.startsAt, endsAt: ends }, language)
}

function drawLabels(chart: uPlot, facts: Facts): void {
  const { ctx, bbox } = chart
  const ratio = uPlot.pxRatio
  ctx.save()
  ctx.scale(ratio, ratio)
  ctx.textBaseline = 'middle'
  const plot = { left: bbox.left / ratio, top: bbox.top / ratio, width: bbox.width / ratio, height: bbox.height / ratio }
  const right = plot.left + plot.width
  const xOf = (at: number) => plot.left + chart.valToPos(at, 'x')
  if (xOf(facts.state.startsAt) >= plot.left) drawStart(ctx, xOf(facts.state.startsAt), plot.top + plot.height, facts.start)
  if (facts.running) drawNow(ctx, xOf(facts.until), plot, facts.now)
  if (facts.width >= narrowest) drawNames(ctx, facts, Math.min(right, Math.max(plot.left, xOf(facts.until))), right)
  ctx.restore()
}

function dotted(ctx: CanvasRenderingContext2D, dash: readonly number[], points: readonly (readonly [number, number])[]): void {
  ctx.strokeStyle = token('--edge')
  ctx.lineWidth = 1
  ctx.setLineDash([...dash])
  ctx.beginPath()
  for (const [x, y] of points) ctx.lineTo(x, y)
  ctx.stroke()
}

function drawStart(ctx: CanvasRenderingContext2D, x: number, bottom: number, word: string): void {
  ctx.font = font(400)
  ctx.fillStyle = token('--ink-3')
  ctx.textAlign = 'left'
  ctx.fillText(word, Math.max(0, x - ctx.measureText(word).width / 2), bottom + 13)
}

function drawNow(
  ctx: CanvasRenderingContext2D,
  x: number,
  plot: { left: number; top: number; width: number; height: number },
  word: string,
): void {
  if (x < plot.left || x > plot.left + plot.width) return
  const bottom = plot.top + plot.height
  dotted(
    ctx,
    [1, 2],
    [
      [x, plot.top],
      [x, bottom],
    ],
  )
  ctx.font = font(600)
  ctx.fillStyle = token('--ink')
  ctx.textAlign = 'center'
  ctx.fillText(word, x, bottom + 15)
}

function drawNames(ctx: CanvasRenderingContext2D, { lines, width, height }: Facts, until: number, right: number): void {
  const top = axisTop(lines)
  const named = namedLines(lines, height)
  const heights = named.map((index) => pointsAtEnd(lines[index] as Line) / top)
  const places = placeNames(heights, height)
  const left = width - frame.names
  ctx.textAlign = 'left'
  for (const [at, index] of named.entries()) {
    const line = lines[index] as Line
    const [end, place] = [fromTop(heights[at] ?? 0, height), places[at] ?? 0]
    dotted(
      ctx,
      [1, 3],
      [
        [until, end],
        [right, end],
        [left - 4, place],
      ],
    )
    const colour = token(colourOf(line, index))
    ctx.fillStyle = colour
    ctx.save()
    ctx.translate(left, place - 5)
    ctx.fill(new Path2D(markOf(line, index)), 'evenodd')
    ctx.restore()
    ctx.font = font(line.own ? 600 : 400)
    ctx.fillStyle = line.own ? colour : token(line.strong ? '--ink-2' : '--ink-3')
    ctx.fillText(truncate(ctx, line.name, frame.names - 50), left + 15, place)
  }
}

function truncate(ctx: CanvasRenderingContext2D, name: string, width: number): string {
  if (ctx.measureText(name).width <= width) return name
  const signs = [...name]
  while (signs.length > 0 && ctx.measureText(`${signs.join('')}…`).width > width) signs.pop()
  return `${signs.join('')}…`
}
