import { siteLimits } from '@vexil/core/limits'
import { FormSection, Wide } from '../../ui/fields/form-section.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { Beside, type SectionProps, SettingSwitch, SettingText } from './setting-fields.tsx'

export function AccountSection({ draft, wrong, beside }: SectionProps) {
  const { t } = useTranslation()
  return (
    <FormSection id="accounts" title={t('admin.settings.accounts')} help={t('admin.settings.accountsHelp')}>
      <SettingSwitch name="allowRegister" draft={draft}>
        <Beside name="registrationClosed" beside={beside} />
      </SettingSwitch>
      <SettingSwitch name="activeOnRegister" draft={draft}>
        <Beside name="activatedByHand" beside={beside} />
      </SettingSwitch>
      <SettingSwitch name="emailConfirmationRequired" draft={draft}>
        <Beside name="verificationIdle" beside={beside} />
        <Beside name="verificationWithoutMail" beside={beside} />
      </SettingSwitch>
      <SettingSwitch name="useCaptcha" draft={draft}>
        <Beside name="captchaWithoutProvider" beside={beside} />
      </SettingSwitch>
      <Wide>
        <SettingText
          name="emailDomainList"
          draft={draft}
          wrong={wrong}
          description={t('admin.settings.emailDomainListHelp')}
          placeholder="example.org, example.edu"
          maxLength={siteLimits.domainListMax}
        />
      </Wide>
    </FormSection>
  )
}
