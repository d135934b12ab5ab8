import { useComputedColorScheme, useMantineTheme } from '@mantine/core'
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import uPlot from 'uplot'
import { formatTime } from '../ui/time/time.ts'
import 'uplot/dist/uPlot.min.css'
import c from './board-chart.module.css'
import { columnsOf } from './chart-data.ts'
import { chartOptions, type Facts, token } from './chart-drawing.ts'

interface Chart {
  readonly width: number
  readonly showAll: () => void
  readonly savePicture: (name: string) => void
}

export function useChart(
  place: RefObject<HTMLElement | null>,
  facts: Omit<Facts, 'width'>,
  number: (value: number) => string,
): Chart {
  const chart = useRef<uPlot>(undefined)
  const zoom = useRef<{ min: number; max: number }>(undefined)
  const [width, setWidth] = useState(0)
  const whole = () => ({ min: facts.state.startsAt, max: facts.ends })
  const now = useEffectEvent((): Facts => ({ ...facts, width }))
  const shown = useEffectEvent(() => zoom.current ?? whole())
  const words = useEffectEvent((at: number) => tipOf(facts, at, number))

  useEffect(() => {
    const element = place.current
    if (!element) return
    const watcher = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)))
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [place])

  const { lines, language, running, ends, until } = facts
  const kind = `${lines.map(({ id, own, strong }) => `${id}${own}${strong}`)} ${language}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: another chart for other lines or widths alone
  useEffect(() => {
    if (width === 0 || !place.current) return
    const plugin = zoomAndTip((range) => {
      zoom.current = range
    }, words)
    const made = new uPlot(
      chartOptions(
        () => now(),
        () => shown(),
        plugin,
      ),
      columnsOf(lines),
      place.current,
    )
    chart.current = made
    return () => {
      made.destroy()
      chart.current = undefined
    }
  }, [kind, width])

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn again when any of these changes
  useEffect(() => {
    chart.current?.setData(columnsOf(lines))
    // The line of the current time has moved, and the labels leave space for it.
    chart.current?.redraw(false, true)
  }, [lines, ends, until, running])

  const [theme, scheme] = [useMantineTheme(), useComputedColorScheme()]
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme or scheme has other colours
  useEffect(() => {
    // The colours of the page change in the same turn.
    const frame = requestAnimationFrame(() => chart.current?.redraw(false))
    return () => cancelAnimationFrame(frame)
  }, [theme, scheme])

  return {
    width,
    showAll: () => {
      zoom.current = undefined
      chart.current?.setData(chart.current.data)
    },
    savePicture: (name) => chart.current && saveCanvas(chart.current.ctx.canvas, name),
  }
}

function tipOf({ lines, language }: Pick<Facts, 'lines' | 'language'>, at: number, number: (value: number) => string): string[] {
  const entries = lines.flatMap(({ name, points }) => {
    const sum = points.findLast(([time]) => time <= at)?.[1]
    return sum === undefined ? [] : [{ sum, text: `${number(sum)}  ${name}` }]
  })
  return [formatTime(at, 'exact', language), ...entries.sort((a, b) => b.sum - a.sum).map(({ text }) => text)]
}

/** Dragging zooms in, a double click resets; the moment under the pointer has a tooltip. */
function zoomAndTip(
  onZoom: (range: { min: number; max: number } | undefined) => void,
  words: (at: number) => string[],
): uPlot.Plugin {
  const tip = document.createElement('div')
  tip.className = c.tip ?? ''
  tip.hidden = true
  return {
    hooks: {
      ready: (chart) => {
        chart.over.append(tip)
        chart.over.addEventListener('dblclick', () => {
          onZoom(undefined)
          chart.setData(chart.data)
        })
      },
      setSelect: (chart) => {
        const { left, width } = chart.select
        if (width > 2) onZoom({ min: chart.posToVal(left, 'x'), max: chart.posToVal(left + width, 'x') })
      },
      setCursor: (chart) => {
        const { left = -1 } = chart.cursor
        tip.hidden = left < 0
        if (tip.hidden) return
        const lines = words(chart.posToVal(left, 'x')).map((text) => {
          const line = document.createElement('div')
          line.textContent = text
          return line
        })
        tip.replaceChildren(...lines)
        const before = left > chart.over.clientWidth / 2
        tip.style.transform = `translateX(${before ? left - tip.offsetWidth - 12 : left + 12}px)`
      },
    },
  }
}

function saveCanvas(drawn: HTMLCanvasElement, name: string): void {
  const whole = document.createElement('canvas')
  whole.width = drawn.width
  whole.height = drawn.height
  const context = whole.getContext('2d')
  if (!context) return
  context.fillStyle = token('--page')
  context.fillRect(0, 0, whole.width, whole.height)
  context.drawImage(drawn, 0, 0)
  const link = document.createElement('a')
  link.href = whole.toDataURL('image/png')
  link.download = `${name.replace(/[\\/:*?"<>|]/g, '_')}.png`
  link.click()
}
