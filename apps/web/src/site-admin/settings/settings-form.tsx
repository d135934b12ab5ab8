import { useQueryClient } from '@tanstack/react-query'
import { type SiteConfig, updateLogo, updateSiteConfig } from '@vexil/contract/settings'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { useUnsavedWarning } from '../../shell/unsaved.tsx'
import { useKeys } from '../../ui/base/keyboard.ts'
import { useAction } from '../../ui/base/use-action.ts'
import { SaveBar } from '../../ui/fields/save-bar.tsx'
import { useDraft } from '../../ui/fields/use-draft.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { siteConfigQuery, useSettingsChanged } from '../site-admin.queries.ts'
import { AccountSection } from './account-section.tsx'
import { ContainerSection } from './container-section.tsx'
import { PlatformSection } from './platform-section.tsx'
import c from './settings.module.css'
import {
  contradictions,
  type SettingName,
  type SettingsFields,
  settingsBody,
  settingsFields,
  wrongSettings,
} from './settings-fields.ts'

interface Props {
  readonly config: SiteConfig
  /** Sections that the save bar does not save. */
  readonly children: ReactNode
}

export function SettingsForm({ config, children }: Props) {
  const { t } = useTranslation()
  const [logo, setLogo] = useState<File>()
  const draft = useDraft(settingsFields(config))
  const { value, changed, discard } = draft
  const save = useSave(draft, logo, () => setLogo(undefined))
  const wrong = wrongSettings(value)
  const count = changed.length + (logo ? 1 : 0)
  useUnsavedWarning(count > 0 && !save.busy)
  const start = () => {
    if (count > 0 && wrong.length === 0) void save.start()
  }
  useKeys([{ key: 'mod+s', name: t('ui.save'), act: start }], true)
  const section = { draft, wrong, beside: contradictions(value, config.environment) }
  const label = (name: SettingName) => t(`admin.settings.${name}`)
  return (
    <>
      <PlatformSection {...section} logo={logo} onLogo={setLogo} hasLogo={config.globalConfig.logoHash !== null} />
      <AccountSection {...section} />
      <ContainerSection {...section} />
      {children}
      {count > 0 && (
        <div className={c.foot}>
          <SaveBar
            notes={wrong.map((name) => ({ key: name, wrong: true, text: t('admin.settings.correct', { field: label(name) }) }))}
            save={t('admin.saveChanges', { count })}
            changed
            saving={save.busy}
            onSave={start}
            onDiscard={() => {
              discard()
              setLogo(undefined)
            }}
          />
        </div>
      )}
    </>
  )
}

/** Saves the fields, then the logo; stored fields count as saved when the logo is refused. */
function useSave(draft: ReturnType<typeof useDraft<SettingsFields>>, logo: File | undefined, onLogo: () => void) {
  const { t } = useTranslation()
  const queries = useQueryClient()
  const refresh = useSettingsChanged()
  const { value, changed, rebase } = draft
  return useAction({
    id: 'settings',
    call: async () => {
      const body = settingsBody(value, changed)
      if (changed.length > 0) {
        await call(updateSiteConfig, { body })
        rebase(value)
        queries.setQueryData(siteConfigQuery.queryKey, (old) => old && merged(old, body))
      }
      try {
        if (logo) await call(updateLogo, { files: logo })
        onLogo()
      } finally {
        await refresh()
      }
    },
    done: t('admin.saved'),
    failed: t('admin.notSaved'),
  })
}

type Groups = Pick<SiteConfig, 'globalConfig' | 'accountPolicy' | 'containerPolicy'>

const merged = (
  old: SiteConfig,
  { globalConfig, accountPolicy, containerPolicy }: Partial<Record<keyof Groups, object | null>>,
): SiteConfig => ({
  ...old,
  globalConfig: { ...old.globalConfig, ...globalConfig },
  accountPolicy: { ...old.accountPolicy, ...accountPolicy },
  containerPolicy: { ...old.containerPolicy, ...containerPolicy },
})
