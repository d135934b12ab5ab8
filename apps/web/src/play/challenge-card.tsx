import { Pennant, PennantOutline } from '../ui/base/pennant.tsx'
import { BloodMark } from '../ui/game/blood-mark.tsx'
import { CategorySign, categoryField } from '../ui/game/category-sign.tsx'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { formatTime, useFormats } from '../ui/time/time.ts'
import { withZone } from '../ui/time/when.tsx'
import c from './play.module.css'
import type { Shown } from './shown.ts'

interface Props {
  readonly card: Shown
  readonly ended: boolean
  readonly onOpen: () => void
}

/** Id of the element. */
export const cardId = (challenge: number) => `card-${challenge}`

/** A card is a flag: in full colour while unsolved; solved, the field is lowered, with the team's pennant at the right. */
export function ChallengeCard({ card, ended, onOpen }: Props) {
  const { t } = useTranslation()
  const { number, language } = useFormats()
  const { category, title, score, solved, isSolved, practised, ownPlace, own, fresh } = card
  const open = ([1, 2, 3] as const).filter((place) => place > solved)
  return (
    <Tooltip label={<CardFacts card={card} />} openDelay={400} position="bottom">
      <button
        id={cardId(card.id)}
        type="button"
        className={[c.card, isSolved && c.solved, fresh && c.fresh].filter(Boolean).join(' ')}
        aria-haspopup="dialog"
        onClick={onOpen}
      >
        <span className={c.field} style={isSolved ? undefined : categoryField(category)}>
          <CategorySign category={category} size={20} bare={!isSolved} />
        </span>
        <span className={c.text}>
          <span className={c.cardTitle}>{title}</span>
          <span className={c.meta}>
            <span className={c.points}>
              <b>{number(score)}</b> {t('play.pts')}
            </span>
            {solved > 0 && <span className={c.solves}>{t('play.solves', { count: solved })}</span>}
            <span className={c.marks}>
              {!isSolved && !ended && open.map((place) => <BloodMark key={place} place={place} open size={14} />)}
              {ownPlace && <BloodMark place={ownPlace} size={14} />}
              {isSolved &&
                (practised ? <PennantOutline label={t('play.practised')} /> : <Pennant label={t('play.solvedByUs')} />)}
            </span>
          </span>
          {own?.by && (
            <span className={c.state}>
              {t('play.solvedBy', { name: own.by, time: formatTime(own.at, 'weekClock', language) })}
            </span>
          )}
        </span>
        {fresh && <span className="unseen">{t('play.fresh')}</span>}
      </button>
    </Tooltip>
  )
}

function CardFacts({ card }: { readonly card: Shown }) {
  const { t } = useTranslation()
  const { language } = useFormats()
  return (
    <span className={c.facts}>
      <span>{card.title}</span>
      {card.bloods.map((blood, index) => (
        <span key={blood.id} className={c.factRow}>
          <BloodMark place={(index + 1) as 1 | 2 | 3} size={14} />
          {blood.name} {blood.submitTimeUtc ? withZone(blood.submitTimeUtc, language) : ''}
        </span>
      ))}
      {card.originalScore !== undefined && card.nextScore !== undefined && (
        <span>{t('play.values', { start: card.originalScore, next: card.nextScore })}</span>
      )}
    </span>
  )
}
