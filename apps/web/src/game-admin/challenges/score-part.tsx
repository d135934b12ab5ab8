import { Slider, Switch } from '@mantine/core'
import { challengeLimits } from '@vexil/core/limits'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useFormats } from '../../ui/time/time.ts'
import { percentsOf } from './blood-bonus.ts'
import { BloodFields } from './blood-fields.tsx'
import c from './challenge.module.css'
import { curveOf } from './challenge-form-fields.ts'
import type { PartProps } from './challenge-part.ts'
import { ScoreCurveChart } from './score-curve.tsx'

/** The curve follows the fields while they are typed; below it the bonus of the first three. */
export function ScorePart({ game, challenge, fields, set, wrong, busy }: PartProps) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const curve = curveOf(fields)
  const floor = curve && Math.floor(curve.originalScore * curve.minScoreRate)
  const points = (rate: number) =>
    curve ? t('admin.challenge.minimumPoints', { points: number(Math.floor((curve.originalScore * rate) / 100)) }) : `${rate} %`
  return (
    <>
      <section className={c.part}>
        <h2 className={c.partHead}>
          {t('admin.challenge.score')} <span>{t('admin.challenge.bySolves')}</span>
        </h2>
        <ScoreCurveChart curve={curve} solves={challenge.acceptedCount} />
        <div className={c.three}>
          <NumberField
            label={t('admin.challenge.originalScore')}
            min={0}
            max={challengeLimits.originalScoreMax}
            value={fields.originalScore}
            error={wrong.has('originalScore')}
            disabled={busy}
            onChange={(originalScore) => set({ originalScore })}
          />
          <NumberField
            label={t('admin.challenge.difficulty')}
            step={0.2}
            min={0.1}
            decimals={2}
            value={fields.difficulty}
            error={wrong.has('difficulty')}
            disabled={busy}
            onChange={(difficulty) => set({ difficulty })}
          />
          <NumberField
            label={t('admin.challenge.minimum')}
            unit={floor === undefined ? '%' : `% · ${number(floor)}`}
            rightSectionWidth={64}
            min={0}
            max={100}
            decimals={1}
            value={fields.minRate}
            disabled={busy}
            onChange={(rate) => set({ minRate: Math.min(100, Math.max(0, Number(rate) || 0)) })}
          />
        </div>
        <Slider
          thumbLabel={t('admin.challenge.minimum')}
          thumbValueText={points}
          label={points}
          min={0}
          max={100}
          value={fields.minRate}
          disabled={busy}
          onChange={(minRate) => set({ minRate })}
        />
        {challenge.acceptedCount > 0 && (
          <p className={c.note}>{t('admin.challenge.scoreNote', { count: challenge.acceptedCount })}</p>
        )}
      </section>
      <BonusSection game={game} fields={fields} set={set} busy={busy} />
    </>
  )
}

function BonusSection({ game, fields, set, busy }: Pick<PartProps, 'game' | 'fields' | 'set' | 'busy'>) {
  const { t } = useTranslation()
  return (
    <section className={c.part}>
      <h2 className={c.partHead}>{t('admin.blood.title')}</h2>
      <Switch
        label={t('admin.blood.own')}
        checked={fields.bloodBonus !== null}
        disabled={busy}
        onChange={(event) => set({ bloodBonus: event.currentTarget.checked ? percentsOf(game.bloodBonus) : null })}
      />
      {fields.bloodBonus === null ? (
        <p className={c.note}>
          {t('admin.blood.ofGame', {
            percents: percentsOf(game.bloodBonus)
              .map((one) => `${one} %`)
              .join(', '),
          })}
        </p>
      ) : (
        <>
          <BloodFields value={fields.bloodBonus} disabled={busy} onChange={(bloodBonus) => set({ bloodBonus })} />
          <p className={c.note}>{t('admin.blood.zero')}</p>
        </>
      )}
    </section>
  )
}
