import type { BoardRow } from '@vexil/core/scoreboard'
import { useEffect, useState } from 'react'
import { createPortal, flushSync } from 'react-dom'
import type { BoardHead, BoardState } from '../api/board.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import { withZone } from '../ui/time/when.tsx'
import c from './print-board.module.css'

/** Browsers take too long for more rows; the sheet contains them. */
const printedRowsMost = 1000
const challengesPerTable = 15

/** Whether the page is being printed: the tables are there before the browser lays it out. */
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    const begin = () => flushSync(() => setPrinting(true))
    const end = () => setPrinting(false)
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
    }
  }, [])
  return printing
}

interface Props {
  readonly title: string
  readonly state: Pick<BoardState, 'heads' | 'changedAt'>
  /** Moment shown, ms. */
  readonly at: number
  readonly rows: readonly BoardRow[]
  readonly division: string | null
}

/** The printed version of the page: all rows, in tables of at most fifteen challenges. */
export function PrintBoard({ title, state: { heads }, at, rows, division }: Props) {
  const { t } = useTranslation()
  const { language } = useFormats()
  const tables = Array.from({ length: Math.max(1, Math.ceil(heads.length / challengesPerTable)) }, (_, page) =>
    heads.slice(page * challengesPerTable, (page + 1) * challengesPerTable),
  )
  return createPortal(
    <div className={c.printed} data-print>
      {rows.length > printedRowsMost ? (
        <p>{t('board.tooManyToPrint', { max: printedRowsMost })}</p>
      ) : (
        tables.map((shown, page) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the tables have no other number
          <section key={page} className={c.page}>
            <h1>{title}</h1>
            <p>{[t('board.title'), division, withZone(at, language)].filter(Boolean).join(' · ')}</p>
            <PrintTable heads={shown} rows={rows} inDivision={division !== null} />
          </section>
        ))
      )}
    </div>,
    document.body,
  )
}

const places: Partial<Record<string, string>> = { FirstBlood: '①', SecondBlood: '②', ThirdBlood: '③' }

interface TableProps {
  readonly heads: readonly BoardHead[]
  readonly rows: readonly BoardRow[]
  readonly inDivision: boolean
}

function PrintTable({ heads, rows, inDivision }: TableProps) {
  const { t } = useTranslation()
  const { number } = useFormats()
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('board.rank')}</th>
          <th scope="col" className={c.team}>
            {t('board.team')}
          </th>
          <th scope="col">{t('board.points')}</th>
          <th scope="col">{t('board.solved')}</th>
          {heads.map(({ id, title }) => (
            <th key={id} scope="col" className={c.challenge}>
              <span>{title}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ team, rank, divisionRank, points, solves }) => {
          const solved = new Map(solves.map(({ challengeId, type }) => [challengeId, places[type] ?? '●']))
          return (
            <tr key={team.participationId}>
              <td>{inDivision ? divisionRank : rank}</td>
              <th scope="row" className={c.team}>
                {team.name}
              </th>
              <td>{number(points)}</td>
              <td>{solves.length}</td>
              {heads.map(({ id }) => (
                <td key={id} className={c.mark}>
                  {solved.get(id)}
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
