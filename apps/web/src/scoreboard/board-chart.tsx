import { ActionIcon, Menu, Tooltip, useComputedColorScheme } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import { type BoardRow, rowsOf, timeLinesOf } from '@vexil/core/scoreboard'
import { LineChart } from 'echarts/charts'
import {
  DataZoomComponent,
  GraphicComponent,
  GridComponent,
  MarkLineComponent,
  ToolboxComponent,
  TooltipComponent,
} from 'echarts/components'
import * as echarts from 'echarts/core'
import { LabelLayout } from 'echarts/features'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BoardState } from '../api/board.ts'
import { serverNow } from '../api/clock.ts'
import { formatTime, useFormats } from '../ui/time.ts'
import c from './board-chart.module.css'

echarts.use([
  LineChart,
  GridComponent,
  GraphicComponent,
  TooltipComponent,
  DataZoomComponent,
  ToolboxComponent,
  MarkLineComponent,
  LabelLayout,
  CanvasRenderer,
])

interface Props {
  readonly game: DetailedGame
  readonly phase: Phase
  readonly state: BoardState
  readonly division: string | null
  readonly own: BoardRow | null
  /** A team chosen by a click on its row. */
  readonly added: number | null
}

interface Line {
  readonly id: number
  readonly name: string
  readonly own: boolean
  readonly points: readonly (readonly [number, number])[]
}

/** The same marks in the names; the order is that of `symbols`. */
const marks = ['●', '■', '▲', '◆', '○', '□', '▼', '◇', '▽', '△']
const symbols = [
  'circle',
  'rect',
  'triangle',
  'diamond',
  'emptyCircle',
  'emptyRect',
  'pin',
  'emptyDiamond',
  'arrow',
  'emptyTriangle',
]

/** Step lines of the leading ten, the own team and one chosen team, from 0 at the start to now. */
function linesOf({
  state,
  division,
  own,
  added,
  until,
}: Pick<Props, 'state' | 'division' | 'own' | 'added'> & { until: number }): Line[] {
  const { board, startsAt } = state
  const line = (row: Pick<BoardRow, 'team' | 'solves'>): Line => {
    let sum = 0
    const points: [number, number][] = [[startsAt, 0]]
    for (const solve of row.solves) {
      sum += solve.points
      points.push([solve.time, sum])
    }
    points.push([until, sum])
    return { id: row.team.id, name: row.team.name, own: row.team.id === own?.team.id, points }
  }
  const top = new Set((timeLinesOf(board).get(division ?? 'all') ?? []).map(({ team }) => team.id))
  return rowsOf(board)
    .filter(({ team }) => top.has(team.id) || team.id === own?.team.id || team.id === added)
    .map(line)
}

/** The chart in pixels: the names stand right of the plot, each bound to the end of its line by a leader. */
const frame = { height: 196, top: 8, bottom: 24, left: 40, right: 196, names: 180, gap: 14.5 }

/** Below this width of the chart the names stand under it. */
const narrowest = 600

const plot = frame.height - frame.top - frame.bottom
/** Pixels from the top, of a height from 0 to 1. */
const fromTop = (height: number) => frame.top + plot * (1 - height)

/** Where the names of lines that end at these heights (0 to 1) stand: beside their line, moved where they would meet or leave the chart. */
function placeNames(heights: readonly number[]): number[] {
  const order = heights.map((height, line) => ({ line, y: fromTop(height) })).sort((a, b) => a.y - b.y)
  const last = frame.top + plot - 4
  const gap = Math.min(frame.gap, plot / Math.max(1, order.length))
  let least = frame.top
  for (const one of order) {
    one.y = Math.max(one.y, least)
    least = one.y + gap
  }
  let most = last
  for (const one of order.toReversed()) {
    one.y = Math.min(one.y, most)
    most = one.y - gap
  }
  const places: number[] = []
  for (const { line, y } of order) places[line] = y
  return places
}

const colourOf = ({ own }: Line, index: number) => (own ? '--accent-text' : `--c-${(index % 10) + 1}`)
const markOf = ({ own }: Line, index: number) => (own ? '▶' : marks[index % marks.length])

const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

export function BoardChart(props: Props) {
  const { game, phase, state } = props
  const { t } = useTranslation()
  const { language, number } = useFormats()
  const scheme = useComputedColorScheme()
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<echarts.ECharts>(undefined)
  const [width, setWidth] = useState(0)

  useEffect(() => {
    const element = place.current
    if (!element) return
    const made = echarts.init(element, null, { renderer: 'canvas' })
    chart.current = made
    // Dragging draws a box to zoom into; two clicks show everything again.
    const zoomByBox = () => made.dispatchAction({ type: 'takeGlobalCursor', key: 'dataZoomSelect', dataZoomSelectActive: true })
    made.on('finished', zoomByBox)
    made.getZr().on('dblclick', () => made.dispatchAction({ type: 'dataZoom', start: 0, end: 100 }))
    const watcher = new ResizeObserver(() => {
      made.resize()
      setWidth(made.getWidth())
    })
    watcher.observe(element)
    return () => {
      watcher.disconnect()
      made.dispose()
      chart.current = undefined
    }
  }, [])

  const until = phase === 'running' ? Math.min(serverNow(), state.endsAt) : state.endsAt
  const lines = linesOf({ ...props, until })
  const narrow = width > 0 && width < narrowest

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read anew with the scheme, lines with the state
  useEffect(() => {
    const made = chart.current
    if (!made) return
    const highest = Math.max(0, ...lines.map(({ points }) => points.at(-1)?.[1] ?? 0))
    const ceiling = Math.max(1000, Math.ceil(highest / 1000) * 1000)
    const heights = lines.map(({ points }) => (points.at(-1)?.[1] ?? 0) / ceiling)
    const names = placeNames(heights)
    const whole = state.endsAt - state.startsAt
    const ink = token('--ink-3')
    const leader = token('--edge')
    const text = { color: ink, fontFamily: token('--sans'), fontSize: 12.5 }
    made.setOption(
      {
        animation: false,
        grid: { left: frame.left, right: narrow ? 16 : frame.right, top: frame.top, bottom: frame.bottom },
        graphic: (narrow ? [] : lines).map((line, index) => ({
          id: `leader-${line.id}`,
          type: 'line',
          silent: true,
          shape: {
            x1: width - frame.right,
            y1: fromTop(heights[index] ?? 0),
            x2: width - frame.names - 4,
            y2: names[index],
          },
          style: { stroke: leader, lineWidth: 1, lineDash: [1, 3] },
        })),
        toolbox: { itemSize: 0, feature: { dataZoom: { yAxisIndex: 'none' } } },
        dataZoom: [{ type: 'inside', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: 'shift' }],
        xAxis: {
          type: 'time',
          min: state.startsAt,
          max: state.endsAt,
          axisLine: { show: false },
          axisTick: { show: false },
          axisLabel: {
            ...text,
            hideOverlap: true,
            formatter: (at: number) =>
              phase === 'running' && Math.abs(at - until) < whole / 16 ? '' : axisTime(at, state, language),
          },
          splitLine: { show: false },
        },
        yAxis: {
          type: 'value',
          min: 0,
          max: ceiling,
          splitNumber: 3,
          axisLabel: { ...text, formatter: (points: number) => (points >= 1000 ? `${points / 1000}k` : String(points)) },
          splitLine: { lineStyle: { color: token('--line') } },
        },
        tooltip: {
          trigger: 'axis',
          backgroundColor: token('--surface'),
          borderColor: token('--line'),
          textStyle: { color: token('--ink'), fontSize: 12.5 },
          confine: true,
          order: 'valueDesc',
          formatter: (
            shown: { axisValue: number; seriesId: string; seriesName: string; value: [number, number]; marker: string }[],
          ) => {
            const box = document.createElement('div')
            box.append(formatTime(shown[0]?.axisValue ?? 0, 'exact', language))
            for (const one of shown.filter(({ seriesId }) => !seriesId.startsWith('leader'))) {
              const entry = document.createElement('div')
              entry.textContent = `${number(one.value[1])}  ${one.seriesName}`
              box.append(entry)
            }
            return box
          },
        },
        series: lines.flatMap((line, index) => {
          const colour = token(colourOf(line, index))
          const drawn = {
            id: String(line.id),
            name: line.name,
            type: 'line',
            step: 'end',
            data: line.points,
            showSymbol: false,
            symbol: symbols[index % symbols.length],
            symbolSize: 7,
            z: line.own ? 5 : 2,
            lineStyle: { width: line.own ? 2.5 : 1.5, color: colour },
            itemStyle: { color: colour },
            emphasis: { focus: 'series', lineStyle: { width: 3 } },
            blur: { lineStyle: { opacity: 0.2 }, endLabel: { opacity: 0.4 } },
            endLabel: {
              show: !narrow,
              formatter: `{mark|${markOf(line, index)}} ${nameOf(line)}`,
              rich: { mark: { color: colour, fontSize: 10 } },
              color: line.own ? colour : token('--ink-2'),
              fontFamily: token('--sans'),
              fontSize: 12.5,
              fontWeight: line.own ? 600 : 400,
            },
            labelLayout: { x: width - frame.names, y: names[index], align: 'left', verticalAlign: 'middle' },
            ...(index === 0 &&
              phase === 'running' && {
                markLine: {
                  silent: true,
                  symbol: 'none',
                  data: [{ xAxis: until }],
                  lineStyle: { color: leader, type: 'dotted', width: 1 },
                  label: {
                    ...text,
                    position: 'start',
                    distance: 9,
                    fontWeight: 600,
                    color: token('--ink'),
                    formatter: t('board.now'),
                  },
                },
              }),
          }
          const last = line.points.at(-1)?.[1] ?? 0
          const leading = {
            id: `leader-${line.id}`,
            type: 'line',
            silent: true,
            symbol: 'none',
            z: 1,
            data: [
              [until, last],
              [state.endsAt, last],
            ],
            lineStyle: { color: leader, width: 1, type: [1, 3] },
          }
          return narrow ? [drawn] : [drawn, leading]
        }),
      },
      // Lines come and go with the ranking; zoom and hidden parts stay.
      { replaceMerge: ['series', 'graphic'] },
    )
  }, [lines, scheme, language, phase, width])

  const solved = lines.some(({ points }) => points.length > 2)
  return (
    <figure className={c.figure} data-narrow={narrow || undefined}>
      <div ref={place} className={c.place} aria-hidden />
      {!solved && <p className={c.none}>{t('board.noSolves')}</p>}
      <div className={c.menu}>
        <Menu position="bottom-end">
          <Menu.Target>
            <Tooltip label={t('board.menu')}>
              <ActionIcon aria-label={t('board.menu')}>
                <IconDots size={18} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{t('board.zoomHint')}</Menu.Label>
            <Menu.Item onClick={() => chart.current?.dispatchAction({ type: 'dataZoom', start: 0, end: 100 })}>
              {t('board.restore')}
            </Menu.Item>
            <Menu.Item onClick={() => chart.current && savePicture(chart.current, game.title)}>{t('board.saveImage')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      {narrow && (
        <ul className={c.names} aria-hidden>
          {lines.map((line, index) => (
            <li key={line.id}>
              <span style={{ color: `var(${colourOf(line, index)})` }}>{markOf(line, index)}</span>
              <span className="cut">{line.name}</span>
            </li>
          ))}
        </ul>
      )}
      <figcaption className="unseen">
        <table>
          <caption>{t('board.chart')}</caption>
          <tbody>
            {lines.map(({ id, name, points }) => (
              <tr key={id}>
                <th scope="row">{name}</th>
                <td>{points.at(-1)?.[1]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </figcaption>
    </figure>
  )
}

/** Within two days the clock, the weekday with it at midnight and at both ends; in longer games the day. */
function axisTime(at: number, { startsAt, endsAt }: BoardState, language: string): string {
  if (endsAt - startsAt > 6 * 86_400_000) return formatTime(at, 'day', language)
  const date = new Date(at)
  const midnight = date.getHours() === 0 && date.getMinutes() === 0
  return formatTime(at, midnight || at === startsAt || at === endsAt ? 'weekClock' : 'clock', language)
}

/** Braces would start a style of the chart. */
const nameOf = ({ name }: Line) => (name.length > 20 ? `${name.slice(0, 19)}…` : name).replaceAll(/[{}|]/g, ' ')

function savePicture(chart: echarts.ECharts, title: string): void {
  const link = document.createElement('a')
  link.href = chart.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor: token('--page') })
  link.download = `${title.replace(/[\\/:*?"<>|]/g, '_')}.png`
  link.click()
}
