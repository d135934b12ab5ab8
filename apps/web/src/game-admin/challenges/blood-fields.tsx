import { NumberField } from '../../ui/fields/number-field.tsx'
import { BloodMark } from '../../ui/game/blood-mark.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { isPercent, type Percents } from './blood-bonus.ts'
import c from './blood-fields.module.css'

interface Props {
  readonly value: Percents
  readonly onChange: (value: Percents) => void
  readonly disabled?: boolean
}

export function BloodFields({ value, onChange, disabled }: Props) {
  const { t } = useTranslation()
  return (
    <div className={c.three}>
      {([0, 1, 2] as const).map((place) => (
        <NumberField
          key={place}
          aria-label={t(`ui.blood.${(place + 1) as 1 | 2 | 3}`)}
          leftSection={<BloodMark place={(place + 1) as 1 | 2 | 3} size={16} />}
          unit="%"
          min={0}
          max={100}
          decimals={1}
          value={value[place]}
          error={!isPercent(value[place])}
          disabled={disabled}
          onChange={(next) => onChange(value.with(place, next) as unknown as Percents)}
        />
      ))}
    </div>
  )
}
