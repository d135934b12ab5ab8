import { ActionIcon, Menu, Tooltip, useComputedColorScheme } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import type { BoardRow } from '@vexil/core/scoreboard'
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
import { useFormats } from '../ui/time.ts'
import c from './board-chart.module.css'
import { colourOf, linesOf, markOf, narrowest } from './chart-lines.ts'
import { chartOption, token } from './chart-option.ts'

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

export function BoardChart({ game, phase, state, division, own, added }: Props) {
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
  const lines = linesOf(state, division, own, added, until)
  const narrow = width > 0 && width < narrowest

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read anew with the scheme, lines with the state
  useEffect(() => {
    if (width === 0) return
    const running = phase === 'running'
    // Lines come and go with the ranking; zoom and hidden parts stay.
    chart.current?.setOption(chartOption({ state, lines, running, until, width, language, number, now: t('board.now') }), {
      replaceMerge: ['series', 'graphic'],
    })
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

function savePicture(chart: echarts.ECharts, title: string): void {
  const link = document.createElement('a')
  link.href = chart.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor: token('--page') })
  link.download = `${title.replace(/[\\/:*?"<>|]/g, '_')}.png`
  link.click()
}
