import { Switch } from '@mantine/core'
import { textLimits } from '@vexil/core/limits'
import { writeupDeadlineAfter } from '@vexil/core/phases'
import { FormSection, SwitchRow, Wide } from '../../ui/fields/form-section.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { MarkdownField } from '../../ui/markdown/markdown-field.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useFormats } from '../../ui/time/time.ts'
import { TimeTip } from '../../ui/time/when.tsx'
import type { SectionProps } from './info-section.ts'

export function WriteupSection({ fields, set, wrong, busy }: SectionProps) {
  const { t } = useTranslation()
  const { time } = useFormats()
  const deadline =
    typeof fields.writeupHours === 'number' && Number.isFinite(fields.end)
      ? writeupDeadlineAfter(fields.end, fields.writeupHours)
      : undefined
  return (
    <FormSection title={t('admin.info.writeup')} help={t('admin.info.writeupHelp')}>
      <SwitchRow
        label={<label htmlFor="writeup">{t('admin.info.writeupRequired')}</label>}
        help={t('admin.info.writeupRequiredHelp')}
      >
        <Switch
          id="writeup"
          checked={fields.writeupRequired}
          disabled={busy}
          onChange={(event) => set({ writeupRequired: event.currentTarget.checked })}
        />
      </SwitchRow>
      <NumberField
        label={t('admin.info.deadline')}
        unit={t('admin.info.hoursUnit')}
        rightSectionWidth={64}
        description={
          deadline === undefined || wrong.has('writeupHours') ? undefined : <TimeTip at={deadline}>{time(deadline)}</TimeTip>
        }
        min={0}
        decimals={2}
        value={fields.writeupHours}
        error={wrong.has('writeupHours') && t('admin.info.hoursWrong')}
        disabled={busy}
        onChange={(writeupHours) => set({ writeupHours })}
      />
      <Wide>
        <MarkdownField
          label={t('admin.info.writeupNote')}
          rows={5}
          maxLength={textLimits.markdownMax}
          value={fields.writeupNote}
          disabled={busy}
          onChange={(writeupNote) => set({ writeupNote })}
        />
      </Wide>
    </FormSection>
  )
}

export function PageSection({ fields, set, busy }: SectionProps) {
  const { t } = useTranslation()
  return (
    <FormSection title={t('admin.info.page')} help={t('admin.info.pageHelp')}>
      <Wide>
        <MarkdownField
          label={t('admin.info.content')}
          rows={14}
          maxLength={textLimits.markdownMax}
          value={fields.content}
          disabled={busy}
          onChange={(content) => set({ content })}
        />
      </Wide>
    </FormSection>
  )
}
