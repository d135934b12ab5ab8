import type { BoardRow } from '@vexil/core/scoreboard'
import { useRef } from 'react'
import { BloodMark } from '../ui/game/blood-mark.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { useFormats } from '../ui/time/time.ts'
import c from './flag-moment.module.css'
import type { Shown } from './shown.ts'
import type { FlagState } from './use-flags.ts'

interface Props {
  readonly card: Shown
  readonly flag: Pick<FlagState, 'busy' | 'right'>
  /** The own row of the board. */
  readonly own: BoardRow | undefined
}

/** After a correct flag of this visit: the own pennant rises, larger with a first blood; the new rank follows with the board. */
export function FlagMoment({ card, flag: { busy, right }, own }: Props) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const seen = useRef({ open: false, rank: 0 })
  // The board may have the solve before the answer arrives, so the previous rank is taken when the flag is sent.
  if (!right && !card.isSolved && !busy) seen.current = { open: true, rank: own?.rank ?? 0 }
  if (!right || !seen.current.open || card.practised) return null
  const { rank } = seen.current
  const first = card.ownPlace === 1
  const onBoard = card.own !== null && own?.solves.some(({ challengeId }) => challengeId === card.id)
  return (
    <section className={first ? `${c.moment} ${c.first}` : c.moment} aria-label={t('play.right')}>
      <svg className={c.mast} viewBox="0 0 64 80" aria-hidden>
        <path fill="currentColor" d="M8 2h3v78H8z" />
        <path className={c.pennant} fill="currentColor" d="M14 6 62 22 14 38z" />
      </svg>
      <p className={c.words} aria-live="polite">
        <b className={c.title}>
          {card.ownPlace && <BloodMark place={card.ownPlace} size={first ? 28 : 20} />}
          {card.ownPlace ? t(`ui.blood.${card.ownPlace}`) : t('play.right')}
        </b>
        {onBoard && own && (
          <span className="num">
            {t('play.gained', { points: number(card.own?.points ?? 0) })}{' '}
            {rank > 0 && rank !== own.rank ? (
              <b>{t('play.rankChange', { from: number(rank), to: number(own.rank) })}</b>
            ) : (
              t('play.rankNow', { rank: number(own.rank) })
            )}
          </span>
        )}
      </p>
    </section>
  )
}
