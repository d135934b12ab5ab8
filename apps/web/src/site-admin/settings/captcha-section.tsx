import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ServiceSettings, testCaptcha, updateCaptcha } from '@vexil/contract/service-settings'
import { captchaLimits } from '@vexil/core/limits'
import { type CaptchaProvider, captchaProviders } from '@vexil/core/vocabulary'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { QueryView } from '../../ui/base/states.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { FormSection, Wide } from '../../ui/fields/form-section.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { Select } from '../../ui/fields/select.tsx'
import { useDraft } from '../../ui/fields/use-draft.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { servicesQuery, useServicesChanged } from '../site-admin.queries.ts'
import { FixedValues, SecretField, ServiceForm } from './service-form.tsx'

export function CaptchaSection() {
  const { t } = useTranslation()
  return (
    <FormSection id="captcha" title={t('admin.captcha.title')} help={t('admin.captcha.help')}>
      <QueryView query={useQuery(servicesQuery)}>
        {({ captcha }) => (captcha.fixed ? <FixedCaptcha captcha={captcha} /> : <CaptchaForm captcha={captcha} />)}
      </QueryView>
    </FormSection>
  )
}

type Captcha = ServiceSettings['captcha']

function FixedCaptcha({ captcha }: { readonly captcha: Captcha }) {
  const { t } = useTranslation()
  const rows = {
    [t('admin.captcha.provider')]: t(`admin.captcha.providers.${captcha.provider}`),
    [t('admin.captcha.siteKey')]: captcha.siteKey,
  }
  return (
    <>
      <FixedValues variable="VEXIL_CAPTCHA_PROVIDER" rows={rows} />
      <Wide>
        <TestCaptcha />
      </Wide>
    </>
  )
}

const fieldsOf = ({ provider, siteKey, threshold }: Captcha) => ({
  provider,
  siteKey,
  secret: '',
  threshold: threshold as number | string,
})

function CaptchaForm({ captcha }: { readonly captcha: Captcha }) {
  const { t } = useTranslation()
  const refresh = useServicesChanged()
  const draft = useDraft(fieldsOf(captcha))
  const { value, set } = draft
  const [shown, setShown] = useState(false)
  const isOn = value.provider !== 'None'
  const hasScore = value.provider === 'GoogleRecaptcha'
  const secretIsSet = captcha.secretSet && value.provider === captcha.provider
  const wrong = {
    siteKey: isOn && value.siteKey.trim() === '',
    secret: isOn && value.secret === '' && !secretIsSet,
    threshold: hasScore && (typeof value.threshold !== 'number' || value.threshold < 0 || value.threshold > 1),
  }
  const save = useAction({
    id: 'captcha',
    done: t('admin.captcha.saved'),
    failed: t('admin.notSaved'),
    call: async () => {
      const { provider, siteKey, secret } = value
      const threshold = hasScore ? Number(value.threshold) : captcha.threshold
      const body = { provider, siteKey: siteKey.trim(), threshold }
      await call(updateCaptcha, { body: { ...body, ...(secret !== '' && { secret }) } })
      draft.accept({ ...value, threshold, secret: '' })
      await refresh()
    },
  })
  const start = async () => {
    setShown(true)
    return Object.values(wrong).some(Boolean) ? false : save.start()
  }
  return (
    <ServiceForm
      isChanged={draft.changed.length > 0}
      onDiscard={draft.discard}
      save={{ ...save, start }}
      label={t('admin.captcha.save')}
      test={captcha.provider !== 'None' && <TestCaptcha />}
    >
      <Wide>
        <Select
          label={t('admin.captcha.provider')}
          data={captchaProviders.map((provider) => ({ value: provider, label: t(`admin.captcha.providers.${provider}`) }))}
          value={value.provider}
          allowDeselect={false}
          onChange={(provider) => provider && set({ provider: provider as CaptchaProvider })}
        />
      </Wide>
      {isOn && (
        <>
          <TextInput
            label={t('admin.captcha.siteKey')}
            value={value.siteKey}
            maxLength={captchaLimits.siteKeyMax}
            autoComplete="off"
            spellCheck={false}
            error={shown && wrong.siteKey && t('admin.captcha.keyMissing')}
            onChange={(event) => set({ siteKey: event.currentTarget.value })}
          />
          <SecretField
            label={t('admin.captcha.secret')}
            isSet={secretIsSet}
            maxLength={captchaLimits.secretMax}
            value={value.secret}
            error={shown && wrong.secret && t('admin.captcha.keyMissing')}
            onChange={(secret) => set({ secret })}
          />
        </>
      )}
      {hasScore && (
        <NumberField
          label={t('admin.captcha.threshold')}
          description={t('admin.captcha.thresholdHelp')}
          min={0}
          max={1}
          step={0.1}
          decimals={2}
          value={value.threshold}
          error={shown && wrong.threshold && t('admin.captcha.thresholdWrong')}
          onChange={(threshold) => set({ threshold })}
        />
      )}
    </ServiceForm>
  )
}

function TestCaptcha() {
  const { t } = useTranslation()
  const action = useAction({
    id: 'test-captcha',
    working: t('admin.captcha.testing'),
    done: t('admin.captcha.tested'),
    failed: t('admin.captcha.notTested'),
    call: () => call(testCaptcha),
  })
  return (
    <ActionButton action={action} variant="default" onClick={() => void action.start()}>
      {t('admin.captcha.test')}
    </ActionButton>
  )
}
