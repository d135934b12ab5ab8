import { Switch, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { SwitchRow } from '../../ui/fields/form-section.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import type { Draft } from '../../ui/fields/use-draft.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from './settings.module.css'
import {
  type Contradiction,
  type SettingsFields,
  type Switches,
  type Times,
  timeRange,
  type WrongSetting,
} from './settings-fields.ts'

export interface SectionProps {
  readonly draft: Draft<SettingsFields>
  readonly wrong: readonly WrongSetting[]
  readonly beside: readonly Contradiction[]
}

export function SettingSwitch({
  name,
  draft,
  children,
}: Pick<SectionProps, 'draft'> & { readonly name: Switches; readonly children?: ReactNode }) {
  const { t } = useTranslation()
  return (
    <SwitchRow
      label={t(`admin.settings.${name}`)}
      help={
        <>
          {t(`admin.settings.${name}Help`)}
          {children}
        </>
      }
    >
      <Switch
        aria-label={t(`admin.settings.${name}`)}
        checked={draft.value[name]}
        onChange={(event) => draft.set({ [name]: event.currentTarget.checked })}
      />
    </SwitchRow>
  )
}

export function Beside({ name, beside }: Pick<SectionProps, 'beside'> & { readonly name: Contradiction }) {
  const { t } = useTranslation()
  return (
    beside.includes(name) && (
      <span className={c.contradiction} role="status">
        {t(`admin.settings.beside.${name}`)}
      </span>
    )
  )
}

export function SettingMinutes({ name, draft, wrong }: Omit<SectionProps, 'beside'> & { readonly name: Times }) {
  const { t } = useTranslation()
  return (
    <NumberField
      label={t(`admin.settings.${name}`)}
      description={t('admin.settings.minutes', timeRange[name])}
      clamps
      {...timeRange[name]}
      value={draft.value[name]}
      error={wrong.includes(name) && t('admin.settings.wrongMinutes', timeRange[name])}
      onChange={(minutes) => draft.set({ [name]: minutes })}
    />
  )
}

interface TextProps extends Omit<SectionProps, 'beside'> {
  readonly name: 'title' | 'slogan' | 'emailDomainList' | 'flagVariables'
  readonly maxLength: number
  readonly placeholder?: string
  readonly description?: string
  readonly classNames?: Record<string, string | undefined>
}

export function SettingText({ name, draft, wrong, ...rest }: TextProps) {
  const { t } = useTranslation()
  return (
    <TextInput
      label={t(`admin.settings.${name}`)}
      value={draft.value[name]}
      error={(name === 'emailDomainList' || name === 'flagVariables') && wrong.includes(name) && t(`admin.settings.${name}Wrong`)}
      onChange={(event) => draft.set({ [name]: event.currentTarget.value })}
      {...rest}
    />
  )
}
