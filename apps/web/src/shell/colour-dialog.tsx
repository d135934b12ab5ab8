import { ColorInput, Radio, Stack } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { brandColour } from '../ui/base/colours.ts'
import { isColour } from '../ui/base/ramp.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import c from './colour-dialog.module.css'
import { type ColourChoice, chooseColour, useColourChoice } from './preferences.ts'
import { useSite } from './site.ts'

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

export default function ColourDialog({ opened, onClose }: Props) {
  const { t } = useTranslation()
  const site = useSite()
  const choice = useColourChoice()
  const kind = choice === '' || choice === 'brand' ? choice || 'site' : 'own'
  const [text, setText] = useState<string>(kind === 'own' ? choice : (site.customTheme ?? '') || brandColour)
  const wrong = kind === 'own' && !isColour(text)
  const applyLater = useDebouncedCallback((typed: string) => {
    if (isColour(typed)) chooseColour(typed as ColourChoice)
  }, 200)

  const choose = (next: string) => {
    if (next === 'own') chooseColour((isColour(text) ? text : brandColour) as ColourChoice)
    else chooseColour(next === 'brand' ? 'brand' : '')
  }

  return (
    <Dialog opened={opened} onClose={onClose} title={t('shell.colour')} sub={t('shell.colourText')} size={420}>
      <Radio.Group value={kind} onChange={choose} aria-label={t('shell.colour')}>
        <Stack gap="sm">
          <Radio value="site" label={t('shell.colourSite')} />
          <Radio value="brand" label={t('shell.colourBrand')} />
          <Radio value="own" label={t('shell.colourOwn')} />
        </Stack>
      </Radio.Group>
      <ColorInput
        mt="md"
        label={t('shell.colourValue')}
        format="hex"
        fixOnBlur={false}
        eyeDropperButtonProps={{ 'aria-label': t('ui.pickColour') }}
        disabled={kind !== 'own'}
        value={text}
        onChange={(typed) => {
          setText(typed)
          applyLater(typed)
        }}
        error={wrong ? t('shell.colourWrong') : undefined}
      />
      <div className={c.strip} aria-hidden>
        {Array.from({ length: 10 }, (_, step) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: ten fixed steps
          <i key={step} style={{ background: `var(--a-${step})` }} />
        ))}
      </div>
    </Dialog>
  )
}
