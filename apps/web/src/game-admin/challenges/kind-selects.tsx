import { type ChallengeCategory, type ChallengeType, challengeCategories, challengeTypes } from '@vexil/core/vocabulary'
import { Select } from '../../ui/fields/select.tsx'
import { CategorySign } from '../../ui/game/category-sign.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './kind-selects.module.css'

interface Props<T> {
  readonly label: string
  readonly value: T | null
  readonly onChange: (value: T | null) => void
  readonly placeholder?: string
  readonly clearable?: boolean
  /** The label is for screen readers only. */
  readonly bare?: boolean
  readonly error?: string | false
  readonly disabled?: boolean
  readonly className?: string
}

const named = (label: string, bare?: boolean) => (bare ? { 'aria-label': label } : { label })

export function CategorySelect({ label, bare, value, onChange, ...rest }: Props<ChallengeCategory>) {
  const { t } = useTranslation()
  return (
    <Select
      {...rest}
      {...named(label, bare)}
      searchable
      allowDeselect={false}
      data={challengeCategories.map((one) => ({ value: one, label: one }))}
      value={value}
      onChange={(one) => onChange(one as ChallengeCategory | null)}
      leftSection={value && <CategorySign category={value} size={18} labelled={false} />}
      nothingFoundMessage={t('admin.nothingFound')}
      comboboxProps={{ width: 320, position: 'bottom-start' }}
      renderOption={({ option }) => (
        <span className={c.option}>
          <CategorySign category={option.value as ChallengeCategory} size={20} labelled={false} />
          <span>
            {option.label}
            <span className={c.about}>{t(`admin.categories.${option.value as ChallengeCategory}`)}</span>
          </span>
        </span>
      )}
    />
  )
}

export function TypeSelect({ label, bare, value, onChange, ...rest }: Props<ChallengeType>) {
  const { t } = useTranslation()
  return (
    <Select
      {...rest}
      {...named(label, bare)}
      allowDeselect={false}
      data={challengeTypes.map((one) => ({ value: one, label: t(`admin.types.${one}`) }))}
      value={value}
      onChange={(one) => onChange(one as ChallengeType | null)}
      comboboxProps={{ width: 320, position: 'bottom-start' }}
      renderOption={({ option }) => (
        <span>
          {option.label}
          <span className={c.about}>{t(`admin.typeAbout.${option.value as ChallengeType}`)}</span>
        </span>
      )}
    />
  )
}
