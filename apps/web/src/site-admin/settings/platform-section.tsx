import { ColorInput, Textarea } from '@mantine/core'
import { defaultSiteTitle, siteLimits, textLimits } from '@vexil/core/limits'
import { brandColour } from '../../ui/base/colours.ts'
import { isColour } from '../../ui/base/ramp.ts'
import { accentOf } from '../../ui/base/theme.ts'
import { FormSection, Wide } from '../../ui/fields/form-section.tsx'
import { MarkdownField } from '../../ui/markdown/markdown-field.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { LogoField } from './logo-field.tsx'
import { type SectionProps, SettingSwitch, SettingText } from './setting-fields.tsx'
import c from './settings.module.css'

interface Props extends SectionProps {
  readonly logo: File | undefined
  readonly onLogo: (logo: File | undefined) => void
  readonly hasLogo: boolean
}

export function PlatformSection({ draft, wrong, logo, onLogo, hasLogo }: Props) {
  const { t } = useTranslation()
  const { value, set } = draft
  return (
    <FormSection id="platform" title={t('admin.settings.platform')} help={t('admin.settings.platformHelp')}>
      <SettingText
        name="title"
        draft={draft}
        wrong={wrong}
        placeholder={defaultSiteTitle}
        description={t('admin.settings.shownAs', { name: `${value.title.trim() || defaultSiteTitle}::CTF` })}
        maxLength={siteLimits.titleMax}
      />
      <SettingText name="slogan" draft={draft} wrong={wrong} placeholder={t('shell.slogan')} maxLength={siteLimits.sloganMax} />
      <Wide>
        <Textarea
          label={t('admin.settings.description')}
          description={t('admin.settings.descriptionHelp')}
          autosize
          minRows={2}
          maxLength={siteLimits.descriptionMax}
          value={value.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
        />
      </Wide>
      <Wide>
        <LogoField logo={logo} onLogo={onLogo} stored={hasLogo} />
      </Wide>
      <Wide>
        <ColorInput
          className={c.colour}
          label={t('admin.settings.customTheme')}
          description={t('admin.settings.customThemeHelp')}
          format="hex"
          fixOnBlur={false}
          eyeDropperButtonProps={{ 'aria-label': t('ui.pickColour') }}
          placeholder={brandColour}
          value={value.customTheme}
          error={wrong.includes('customTheme') && t('shell.colourWrong')}
          onChange={(customTheme) => set({ customTheme })}
        />
        <ColourSteps colour={value.customTheme.trim()} />
      </Wide>
      <Wide>
        <MarkdownField
          label={t('admin.settings.footerInfo')}
          rows={3}
          maxLength={textLimits.footerMax}
          value={value.footerInfo}
          onChange={(footerInfo) => set({ footerInfo })}
        />
        <p className={c.help}>{t('admin.settings.footerInfoHelp', { tag: '<mbr/>' })}</p>
      </Wide>
      <SettingSwitch name="watermark" draft={draft} />
    </FormSection>
  )
}

/** The ten steps of a colour in both schemes; the platform's own while it is invalid. */
function ColourSteps({ colour }: { readonly colour: string }) {
  const { t } = useTranslation()
  const ramp = accentOf(isColour(colour) ? colour : '')
  return (
    <div className={c.ramps} role="img" aria-label={t('admin.settings.steps')}>
      {(['light', 'dark'] as const).map((scheme) => (
        <div key={scheme} className={c.ramp}>
          {ramp[scheme].map((step, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: ten fixed steps
            <i key={i} style={{ background: step }} data-step={step} />
          ))}
        </div>
      ))}
    </div>
  )
}
