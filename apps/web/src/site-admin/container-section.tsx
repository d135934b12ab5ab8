import { NumberInput, Switch, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type SiteConfig, updateSiteConfig } from '@vexil/contract/settings'
import { useTranslation } from 'react-i18next'
import { call } from '../api/client.ts'
import { useSite } from '../shell/site.ts'
import { useUnsavedWarning } from '../shell/unsaved.tsx'
import { FormSection, SwitchRow, Wide } from '../ui/form-section.tsx'
import mono from '../ui/mono-input.module.css'
import { SaveBar } from '../ui/save-bar.tsx'
import { QueryView } from '../ui/states.tsx'
import { useAction } from '../ui/use-action.ts'
import { type Draft, useDraft } from '../ui/use-draft.ts'
import { type PolicyFields, policyBody, policyFields, policyRange, type WrongPolicy, wrongPolicy } from './container-policy.ts'
import c from './settings.module.css'
import { siteConfigQuery, useSettingsChanged } from './site-admin.queries.ts'

/** How long instances live and what ends them, with a bar to save while something is changed. */
export function ContainerSection() {
  const query = useQuery(siteConfigQuery)
  return <QueryView query={query}>{({ containerPolicy }) => <Policy policy={containerPolicy} />}</QueryView>
}

function Policy({ policy }: { readonly policy: SiteConfig['containerPolicy'] }) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const refresh = useSettingsChanged()
  const { containers } = useSite()
  const draft = useDraft(policyFields(policy))
  const { value, changed, discard, accept } = draft
  const wrong = wrongPolicy(value)
  const save = useAction({
    id: 'settings',
    call: async () => call(updateSiteConfig, { body: policyBody(value, changed) }),
    done: t('admin.saved'),
    failed: t('admin.notSaved'),
    onDone: async () => {
      accept(value)
      queries.setQueryData(
        siteConfigQuery.queryKey,
        (old) => old && { ...old, containerPolicy: { ...policy, ...value } as typeof policy },
      )
      await refresh()
    },
  })
  const notes = wrong.map((name) => ({
    key: name,
    wrong: true,
    text: t('admin.containers.correct', { field: t(`admin.containers.${name}`) }),
  }))
  useUnsavedWarning(changed.length > 0 && !save.busy)
  return (
    <>
      <FormSection title={t('admin.containers.title')} help={t('admin.containers.help')}>
        {containers === 'None' && (
          <Wide>
            <p className="dim">{t('admin.containers.off')}</p>
          </Wide>
        )}
        <Fields draft={draft} wrong={wrong} busy={save.busy} />
      </FormSection>
      {changed.length > 0 && (
        <div className={c.foot}>
          <SaveBar
            notes={notes}
            save={t('admin.saveChanges', { count: changed.length })}
            changed
            saving={save.busy}
            onSave={() => void save.start()}
            onDiscard={discard}
          />
        </div>
      )}
    </>
  )
}

interface FieldsProps {
  readonly draft: Draft<PolicyFields>
  readonly wrong: readonly WrongPolicy[]
  readonly busy: boolean
}

function Fields({ draft: { value, set }, wrong, busy }: FieldsProps) {
  const { t } = useTranslation()
  const minutes = (name: keyof typeof policyRange) => (
    <NumberInput
      label={t(`admin.containers.${name}`)}
      description={t('admin.containers.minutes', policyRange[name])}
      hideControls
      allowDecimal={false}
      clampBehavior="blur"
      {...policyRange[name]}
      value={value[name]}
      error={wrong.includes(name) && t('admin.containers.wrong', policyRange[name])}
      disabled={busy}
      onChange={(minutes) => set({ [name]: minutes })}
    />
  )
  const toggle = (name: 'autoDestroyOnLimitReached' | 'destroyOnSolve', help: string) => (
    <SwitchRow label={t(`admin.containers.${name}`)} help={help}>
      <Switch
        aria-label={t(`admin.containers.${name}`)}
        checked={value[name]}
        disabled={busy}
        onChange={(event) => set({ [name]: event.currentTarget.checked })}
      />
    </SwitchRow>
  )
  return (
    <>
      {minutes('defaultLifetime')}
      {minutes('extensionDuration')}
      <div>
        {minutes('renewalWindow')}
        {Number(value.renewalWindow) >= Number(value.defaultLifetime) && wrong.length === 0 && (
          <p className={c.contradiction} role="status">
            {t('admin.containers.always')}
          </p>
        )}
      </div>
      {toggle('autoDestroyOnLimitReached', t('admin.containers.autoDestroyHelp'))}
      {toggle('destroyOnSolve', t('admin.containers.destroyOnSolveHelp'))}
      <Wide>
        <TextInput
          label={t('admin.containers.flagVariables')}
          description={t('admin.containers.flagVariablesHelp')}
          classNames={mono}
          placeholder="CHALLENGE_FLAG, SECRET"
          maxLength={1000}
          spellCheck={false}
          value={value.flagVariables}
          error={wrong.includes('flagVariables') && t('admin.containers.flagVariablesWrong')}
          disabled={busy}
          onChange={(event) => set({ flagVariables: event.currentTarget.value })}
        />
      </Wide>
    </>
  )
}
