import { ActionIcon, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import type { ParticipationInfo } from '@vexil/contract/games'
import { gameLimits } from '@vexil/core/limits'
import { useServerNow } from '../../api/clock.ts'
import { FormSection, SwitchRow, Wide } from '../../ui/fields/form-section.tsx'
import { MomentField } from '../../ui/fields/moment-field.tsx'
import mono from '../../ui/fields/mono-input.module.css'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useFormats } from '../../ui/time/time.ts'
import { randomCode } from './info-fields.ts'
import type { SectionProps } from './info-section.ts'
import { PosterField } from './poster-field.tsx'

export function NameSection({ game, fields, set, wrong, busy }: SectionProps) {
  const { t } = useTranslation()
  return (
    <FormSection title={t('admin.info.name')} help={t('admin.info.nameHelp')}>
      <Wide>
        <TextInput
          label={t('admin.info.title')}
          description={fields.title.length > 60 ? t('admin.info.titleLong') : undefined}
          maxLength={gameLimits.titleMax}
          value={fields.title}
          error={wrong.has('title') && t('admin.info.titleMissing')}
          disabled={busy}
          onChange={(event) => set({ title: event.currentTarget.value })}
        />
      </Wide>
      <Wide>
        <Textarea
          label={t('admin.info.summary')}
          autosize
          minRows={1}
          maxLength={gameLimits.summaryMax}
          value={fields.summary}
          disabled={busy}
          onChange={(event) => set({ summary: event.currentTarget.value })}
        />
      </Wide>
      <Wide>
        <PosterField game={game} />
      </Wide>
      {/* A hidden game has the button "Show game" in its head instead. */}
      {!game.hidden && (
        <SwitchRow label={<label htmlFor="hidden">{t('admin.info.hidden')}</label>} help={t('admin.info.hiddenHelp')}>
          <Switch
            id="hidden"
            checked={fields.hidden}
            disabled={busy}
            onChange={(event) => set({ hidden: event.currentTarget.checked })}
          />
        </SwitchRow>
      )}
    </FormSection>
  )
}

const hours = (from: number, to: number) => Math.round((to - from) / 36_000) / 100

export function TimeSection({ fields, base, set, wrong, busy }: SectionProps) {
  const { t } = useTranslation()
  const { number } = useFormats()
  const now = useServerNow(10_000)
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const [all, was] = [hours(fields.start, fields.end), hours(base.start, base.end)]
  const length =
    all === was ? t('admin.info.hoursAll', { count: all }) : t('admin.info.hoursChanged', { count: all, before: number(was) })
  return (
    <FormSection title={t('admin.info.time')} help={t('admin.info.timeHelp', { zone })}>
      <MomentField
        label={t('admin.info.start')}
        value={fields.start}
        note={fields.start <= now ? t('admin.info.started') : undefined}
        error={wrong.has('end')}
        disabled={busy}
        onChange={(start) => set({ start })}
      />
      <MomentField
        label={t('admin.info.end')}
        value={fields.end}
        note={all > 0 ? length : undefined}
        error={wrong.has('end') && t('admin.info.endWrong')}
        disabled={busy}
        onChange={(end) => set({ end })}
      />
      <SwitchRow label={<label htmlFor="practice">{t('admin.info.practice')}</label>} help={t('admin.info.practiceHelp')}>
        <Switch
          id="practice"
          checked={fields.practiceMode}
          disabled={busy}
          onChange={(event) => set({ practiceMode: event.currentTarget.checked })}
        />
      </SwitchRow>
    </FormSection>
  )
}

type PeopleProps = SectionProps & { readonly teams: readonly ParticipationInfo[] }

export function PeopleSection({ fields, base, set, wrong, busy, teams }: PeopleProps) {
  const { t } = useTranslation()
  const removed = base.organizations
    .filter((name) => !fields.organizations.includes(name))
    .map((name) => ({ name, count: teams.filter(({ organization }) => organization === name).length }))
  const limit = (name: 'teamMemberCountLimit' | 'containerCountLimit', label: string) => (
    <NumberField
      label={label}
      description={wrong.has(name) ? undefined : t('admin.info.noLimit')}
      min={0}
      value={fields[name]}
      error={wrong.has(name) && t('admin.info.wholeNumber')}
      disabled={busy}
      onChange={(value) => set({ [name]: value })}
    />
  )
  return (
    <FormSection title={t('admin.info.people')} help={t('admin.info.peopleHelp')}>
      <Wide>
        <TagsInput
          label={t('admin.info.divisions')}
          placeholder={t('admin.info.divisionAdd')}
          description={
            removed.length > 0
              ? removed.map(({ name, count }) => t('admin.info.divisionRemoved', { name, count })).join(' ')
              : undefined
          }
          acceptValueOnBlur
          maxTags={gameLimits.divisionsMax}
          value={[...fields.organizations]}
          error={wrong.has('organizations') && t('admin.info.divisionWrong', { max: gameLimits.divisionMax })}
          disabled={busy}
          onChange={(names) => set({ organizations: names.map((name) => name.trim()).filter(Boolean) })}
        />
      </Wide>
      {limit('teamMemberCountLimit', t('admin.info.teamSize'))}
      {limit('containerCountLimit', t('admin.info.instances'))}
      <Wide>
        <TextInput
          label={
            <>
              {t('admin.info.code')} <span className="small faint">{t('admin.info.codeHelp')}</span>
            </>
          }
          classNames={mono}
          maxLength={gameLimits.inviteCodeMax}
          value={fields.inviteCode}
          disabled={busy}
          autoComplete="off"
          spellCheck={false}
          rightSection={
            <Tooltip label={t('admin.info.newCode')}>
              <ActionIcon
                size="sm"
                aria-label={t('admin.info.newCode')}
                disabled={busy}
                onClick={() => set({ inviteCode: randomCode() })}
              >
                <IconRefresh size={18} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          }
          onChange={(event) => set({ inviteCode: event.currentTarget.value })}
        />
      </Wide>
      <SwitchRow label={<label htmlFor="accept">{t('admin.info.accept')}</label>} help={t('admin.info.acceptHelp')}>
        <Switch
          id="accept"
          checked={fields.acceptWithoutReview}
          disabled={busy}
          onChange={(event) => set({ acceptWithoutReview: event.currentTarget.checked })}
        />
      </SwitchRow>
    </FormSection>
  )
}
