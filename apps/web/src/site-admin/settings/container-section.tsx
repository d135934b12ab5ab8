import { useSite } from '../../shell/site.ts'
import { FormSection, Wide } from '../../ui/fields/form-section.tsx'
import mono from '../../ui/fields/mono-input.module.css'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { Beside, type SectionProps, SettingMinutes, SettingSwitch, SettingText } from './setting-fields.tsx'

export function ContainerSection({ draft, wrong, beside }: SectionProps) {
  const { t } = useTranslation()
  const { containers } = useSite()
  return (
    <FormSection id="containers" title={t('admin.settings.containers')} help={t('admin.settings.containersHelp')}>
      {containers === 'None' && (
        <Wide>
          <p className="dim">{t('admin.settings.containersOff')}</p>
        </Wide>
      )}
      <SettingMinutes name="defaultLifetime" draft={draft} wrong={wrong} />
      <SettingMinutes name="extensionDuration" draft={draft} wrong={wrong} />
      <div>
        <SettingMinutes name="renewalWindow" draft={draft} wrong={wrong} />
        {wrong.length === 0 && <Beside name="alwaysExtendable" beside={beside} />}
      </div>
      <SettingSwitch name="autoDestroyOnLimitReached" draft={draft} />
      <SettingSwitch name="destroyOnSolve" draft={draft} />
      <Wide>
        <SettingText
          name="flagVariables"
          draft={draft}
          wrong={wrong}
          description={t('admin.settings.flagVariablesHelp')}
          classNames={mono}
          placeholder="CHALLENGE_FLAG, SECRET"
          maxLength={1000}
        />
      </Wide>
    </FormSection>
  )
}
