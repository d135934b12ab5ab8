import { Button } from '@mantine/core'
import { IconPhoto, IconRestore } from '@tabler/icons-react'
import { deleteLogo } from '@vexil/contract/settings'
import { useEffect, useState } from 'react'
import { call } from '../../api/client.ts'
import { Logo } from '../../shell/mark.tsx'
import { useSite } from '../../shell/site.ts'
import { ActionButton } from '../../ui/base/action-button.tsx'
import { useAction } from '../../ui/base/use-action.ts'
import { FileButton } from '../../ui/fields/file-button.tsx'
import { checkImage, imageTypes } from '../../ui/fields/image-file.ts'
import { useConfirm } from '../../ui/overlays/confirm.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import { useSettingsChanged } from '../site-admin.queries.ts'
import c from './settings.module.css'

const sizes = [20, 40, 60, 80]

interface Props {
  readonly logo: File | undefined
  readonly onLogo: (logo: File | undefined) => void
  readonly stored: boolean
}

/** A new logo is stored with the other settings; removal is immediate, after a confirmation. */
export function LogoField({ logo, onLogo, stored }: Props) {
  const { t } = useTranslation()
  const confirm = useConfirm()
  const site = useSite()
  const refresh = useSettingsChanged()
  const chosen = useObjectUrl(logo)
  const reset = useAction({
    id: 'logo',
    call: async () => call(deleteLogo),
    done: t('admin.settings.logoReset'),
    failed: t('admin.notSaved'),
    onDone: refresh,
  })
  const select = (file: File) => {
    if (checkImage(file) === undefined) return onLogo(file)
    toast({ id: 'logo', kind: 'bad', title: t('ui.fileNotLoaded'), text: t('ui.fileInvalid') })
  }
  const confirmAndReset = async () => {
    const question = { title: t('admin.settings.logoResetTitle'), text: t('admin.settings.logoResetText') }
    if (await confirm({ ...question, confirm: t('admin.settings.logoResetButton'), harmful: true })) void reset.start()
  }
  return (
    <div>
      <p className={c.name}>{t('admin.settings.logo')}</p>
      <div className={c.logos}>
        {sizes.map((size) => (
          <span key={size} className={c.logo}>
            <Logo src={chosen ?? site.logoUrl} size={size} />
            <small className="num">{size}</small>
          </span>
        ))}
        <span className={c.logoButtons}>
          <FileButton accept={imageTypes.join()} onFile={select}>
            {(props) => (
              <Button {...props} variant="default" leftSection={<IconPhoto size={18} stroke={1.6} />}>
                {t('admin.settings.logoChoose')}
              </Button>
            )}
          </FileButton>
          {stored && !logo && (
            <ActionButton
              action={reset}
              variant="subtle"
              leftSection={<IconRestore size={18} stroke={1.6} />}
              onClick={() => void confirmAndReset()}
            >
              {t('admin.settings.logoResetButton')}
            </ActionButton>
          )}
        </span>
      </div>
      <p className={c.help}>{logo ? t('admin.settings.logoChosen', { name: logo.name }) : t('ui.imageRule')}</p>
    </div>
  )
}

function useObjectUrl(file: File | undefined): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!file) return setAddress(undefined)
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return address
}
