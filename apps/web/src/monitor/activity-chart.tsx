import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useRef } from 'react'
import { serverNow } from '../api/clock.ts'
import type { InGame } from '../shell/game-frame.tsx'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import { useFormats } from '../ui/time/time.ts'
import { TimeTip, withZone } from '../ui/time/when.tsx'
import c from './activity.module.css'
import { type Bar, barsOf } from './activity.ts'
import { activityQuery } from './monitor.queries.ts'

export interface TimeSpan {
  readonly from: number
  readonly before: number
}

interface Props extends Pick<InGame, 'game' | 'phase'> {
  readonly span: TimeSpan | undefined
  readonly onSpan: (span: TimeSpan | undefined) => void
}

export function ActivityChart({ game, phase, span, onSpan }: Props) {
  const { t } = useTranslation()
  const { time, language } = useFormats()
  const { data, isPending } = useQuery({ ...activityQuery(game.id), refetchInterval: phase === 'running' && 30_000 })
  const place = useRef<HTMLDivElement>(null)
  if (!data) return isPending ? <div className={c.activity} aria-hidden /> : null
  const end = Math.min(serverNow(), Date.parse(game.end))
  const { step, bars } = barsOf(data, Date.parse(game.start), end)
  const top = Math.max(1, ...bars.map(({ right, wrong }) => right + wrong))
  const chosen = bars.findIndex(({ from }) => from === span?.from)
  const labelOf = ({ from, before, right, wrong }: Bar) =>
    t('monitor.activity.bar', { from: time(from, 'weekClock'), before: withZone(before, language), right, wrong })
  // One Tab stop for all bars; arrow keys move between them.
  const move = (event: KeyboardEvent<HTMLButtonElement>, index: number) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!by) return
    event.preventDefault()
    event.stopPropagation()
    place.current?.querySelectorAll('button')[index + by]?.focus()
  }
  return (
    <figure className={c.activity}>
      <figcaption className={c.head}>
        <span>{t('monitor.activity.title', { minutes: step / 60_000 })}</span>
        <span className={c.key} data-right>
          {t('monitor.result.Accepted')}
        </span>
        <span className={c.key}>{t('monitor.result.WrongAnswer')}</span>
        {span && (
          <button type="button" className={`${c.span} link`} onClick={() => onSpan(undefined)}>
            <TimeTip at={span.from} until={span.before}>
              {time(span.from, 'weekClock')} – {time(span.before, 'clock')}
            </TimeTip>
            <IconX size={14} stroke={1.8} />
            <span className="unseen">{t('monitor.activity.whole')}</span>
          </button>
        )}
      </figcaption>
      {/* biome-ignore lint/a11y/useSemanticElements: a row of buttons is no set of fields */}
      <div ref={place} className={c.bars} role="group" aria-label={t('monitor.activity.title', { minutes: step / 60_000 })}>
        {bars.map((bar, index) => (
          <button
            key={bar.from}
            type="button"
            className={c.bar}
            tabIndex={index === Math.max(0, chosen) ? 0 : -1}
            aria-pressed={index === chosen}
            aria-label={labelOf(bar)}
            title={labelOf(bar)}
            onKeyDown={(event) => move(event, index)}
            onClick={() => onSpan(index === chosen ? undefined : { from: bar.from, before: bar.before })}
          >
            <i className={c.wrong} style={{ height: `${(bar.wrong / top) * 100}%` }} />
            <i className={c.right} style={{ height: `${(bar.right / top) * 100}%` }} />
          </button>
        ))}
      </div>
      <ActivityTable bars={bars} />
    </figure>
  )
}

/** The bars as a table for screen readers. */
function ActivityTable({ bars }: { readonly bars: readonly Bar[] }) {
  const { t } = useTranslation()
  const { time } = useFormats()
  return (
    <details className={c.table}>
      <summary>{t('monitor.activity.table')}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('monitor.submissions.time')}</th>
            <th scope="col">{t('monitor.result.Accepted')}</th>
            <th scope="col">{t('monitor.result.WrongAnswer')}</th>
          </tr>
        </thead>
        <tbody>
          {bars
            .filter(({ right, wrong }) => right + wrong > 0)
            .map((bar) => (
              <tr key={bar.from}>
                <th scope="row">
                  <TimeTip at={bar.from} until={bar.before}>
                    {time(bar.from, 'weekClock')} – {time(bar.before, 'clock')}
                  </TimeTip>
                </th>
                <td className="num">{bar.right}</td>
                <td className="num">{bar.wrong}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  )
}
