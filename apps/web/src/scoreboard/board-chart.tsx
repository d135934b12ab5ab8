import { ActionIcon, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { DetailedGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import type { BoardRow } from '@vexil/core/scoreboard'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { BoardState } from '../api/board.ts'
import { useServerNow } from '../api/clock.ts'
import { Drawing } from '../ui/base/drawing.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import c from './board-chart.module.css'
import { axisEnd, axisTime, colourOf, type Line, linesOf, markOf, narrowest, sameLines } from './chart-lines.ts'
import { useChart } from './use-chart.ts'

/** Least interval between two drawings, ms. */
const restMs = 2000
/** Least interval between two positions of the line of now, ms. */
const leastTick = 10_000

interface Props {
  readonly game: DetailedGame
  readonly phase: Phase
  readonly state: Pick<BoardState, 'rows' | 'startsAt' | 'endsAt'>
  readonly division: string | null
  readonly own: BoardRow | null
  /** A team chosen by a click on its row. */
  readonly added: number | null
  /** Earlier moment shown, ms; null: the newest board. */
  readonly moment: number | null
  /** Pixels. */
  readonly height: number
}

export function BoardChart({ game, phase, state, division, own, added, moment, height }: Props) {
  const { t } = useTranslation()
  const { language, number } = useFormats()
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [whole, setWhole] = useState(false)

  const running = phase === 'running'
  const { startsAt, endsAt } = state
  // The line of now moves by a pixel at a time.
  const now = useServerNow(running && width > 0 ? Math.max(leastTick, (endsAt - startsAt) / width) : 0)
  const newest = running ? Math.min(now, endsAt) : endsAt
  const until = moment ?? newest
  const ends = axisEnd(state, { running, until: newest, whole })
  const lines = useLines(state, { division, own, added, moment, until })
  const narrow = width > 0 && width < narrowest
  const start = t('board.start', { time: axisTime(startsAt, { startsAt, endsAt }, language) })

  const word = moment === null ? t('board.now') : axisTime(moment, { startsAt, endsAt }, language)
  const facts = { state, lines, running: running || moment !== null, ends, until, language, now: word, start, height }
  const chart = useChart(place, facts, number)
  if (chart.width !== width) setWidth(chart.width)

  const solved = lines.some(({ points }) => points.length > 2)
  return (
    <figure className={c.figure} data-narrow={narrow || undefined}>
      <div ref={place} style={{ height }} aria-hidden />
      {!solved && <p className={c.none}>{t('board.noSolves')}</p>}
      <div className={c.menu} hidden={width === 0}>
        {running && (startsAt + endsAt) / 2 > newest && (
          <button
            type="button"
            className={`link ${c.whole}`}
            {...(!narrow && { style: { top: height - 22 } })}
            onClick={() => setWhole(!whole)}
          >
            {t(whole ? 'board.soFar' : 'board.wholeGame')}
          </button>
        )}
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
            <Menu.Item onClick={chart.showAll}>{t('board.restore')}</Menu.Item>
            <Menu.Item onClick={() => chart.savePicture(game.title)}>{t('board.saveImage')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
      {narrow && (
        <ul className={c.names} aria-hidden>
          {lines.map((line, index) => (
            <li key={line.id}>
              <Drawing width={10} box="0 0 10 10">
                <path fill={`var(${colourOf(line, index)})`} fillRule="evenodd" d={markOf(line, index)} />
              </Drawing>
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

/** The lines; the same objects while unchanged, updated at most once per interval however many solves arrive. */
function useLines(
  state: Pick<BoardState, 'rows' | 'startsAt' | 'endsAt'>,
  { division, own, added, moment, until }: Pick<Props, 'division' | 'own' | 'added' | 'moment'> & { readonly until: number },
): readonly Line[] {
  const { rows, startsAt } = state
  const latest = useMemo(
    () => linesOf({ rows, startsAt }, division, own, added, until),
    [rows, startsAt, division, own, added, until],
  )
  const [drawn, setDrawn] = useState<{ readonly lines: readonly Line[]; readonly at: number }>({ lines: latest, at: 0 })
  const redrawKey = `${division} ${own?.team.id} ${added} ${moment}`
  const [drawnFor, setDrawnFor] = useState(redrawKey)
  // Choices of the reader show at once.
  if (redrawKey !== drawnFor) {
    setDrawnFor(redrawKey)
    setDrawn({ lines: latest, at: drawn.at })
  }
  useEffect(() => {
    if (sameLines(latest, drawn.lines)) return
    // New data does not postpone the deadline.
    const timer = setTimeout(() => setDrawn({ lines: latest, at: Date.now() }), Math.max(0, drawn.at + restMs - Date.now()))
    return () => clearTimeout(timer)
  }, [latest, drawn])
  return drawn.lines
}
