/** How the chart of the board is drawn. Colours are read from the theme that holds now. */
import * as echarts from 'echarts/core'
import type { BoardState } from '../api/board.ts'
import { formatTime } from '../ui/time.ts'
import { axisTime, colourOf, frame, fromTop, type Line, markOf, narrowest, placeNames, symbols } from './chart-lines.ts'

interface Facts {
  readonly state: Pick<BoardState, 'startsAt' | 'endsAt'>
  readonly lines: readonly Line[]
  readonly running: boolean
  /** Where the axis of time ends, ms. */
  readonly ends: number
  /** Where the lines end, ms. */
  readonly until: number
  /** Of the chart, in pixels. */
  readonly width: number
  readonly language: string
  readonly number: (value: number) => string
  /** The word for this moment. */
  readonly now: string
  /** The words below the beginning of the axis. */
  readonly start: string
}

/** Pixels that a word below the axis takes. */
const wordOfTime = 56

export const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

export function chartOption({
  state,
  lines,
  running,
  ends: axisEnds,
  until,
  width,
  language,
  number,
  now,
  start,
}: Facts): echarts.EChartsCoreOption {
  const { startsAt } = state
  const narrow = width < narrowest
  const ends = lines.map(({ points }) => points.at(-1)?.[1] ?? 0)
  const ceiling = Math.max(1000, Math.ceil(Math.max(0, ...ends) / 1000) * 1000)
  const heights = ends.map((points) => points / ceiling)
  const names = placeNames(heights)
  const right = narrow ? 16 : frame.right
  /** Pixels between a moment and now. */
  const away = (at: number) => (Math.abs(at - until) / (axisEnds - startsAt)) * (width - frame.left - right)
  const leader = token('--edge')
  const text = { color: token('--ink-3'), fontFamily: token('--sans'), fontSize: 12.5 }
  return {
    animation: false,
    grid: { left: frame.left, right, top: frame.top, bottom: frame.bottom },
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
      min: startsAt,
      max: axisEnds,
      axisLine: { show: false },
      axisTick: { show: false },
      axisLabel: {
        ...text,
        hideOverlap: true,
        showMinLabel: true,
        alignMinLabel: 'left',
        formatter: (at: number) => {
          if (at === startsAt) return start
          return running && away(at) < wordOfTime ? '' : axisTime(at, { startsAt, endsAt: axisEnds }, language)
        },
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
          formatter: `{mark|${markOf(line, index)}} ${nameOf(line.name)}`,
          rich: { mark: { color: colour, fontSize: 10 } },
          color: line.own ? colour : token('--ink-2'),
          fontFamily: token('--sans'),
          fontSize: 12.5,
          fontWeight: line.own ? 600 : 400,
        },
        labelLayout: { x: width - frame.names, y: names[index], align: 'left', verticalAlign: 'middle' },
        ...(index === 0 &&
          running && {
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
                formatter: now,
              },
            },
          }),
      }
      const leading = {
        id: `leader-${line.id}`,
        type: 'line',
        silent: true,
        symbol: 'none',
        z: 1,
        data: [
          [until, ends[index]],
          [axisEnds, ends[index]],
        ],
        lineStyle: { color: leader, width: 1, type: [1, 3] },
      }
      return narrow ? [drawn] : [drawn, leading]
    }),
  }
}

/** As much as fits beside the mark and the menu. Braces would start a style of the chart. */
const nameOf = (name: string) =>
  echarts.format.truncateText(name.replaceAll(/[{}|]/g, ' '), frame.names - 50, `12.5px ${token('--sans')}`, '…')
