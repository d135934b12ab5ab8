import { ActionIcon } from '@mantine/core'
import { IconLanguage } from '@tabler/icons-react'
import { singleFlight } from '../ui/base/single-flight.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { FrameMenu } from './frame-menu.tsx'
import c from './rail.module.css'

const lists = singleFlight(() => import('./language-list.tsx'))
const ofRail = () => lists().then(({ OfRail }) => ({ default: OfRail }))
const ofBar = () => lists().then(({ OfBar }) => ({ default: OfBar }))

export function LanguageMenu({ rail }: { readonly rail?: boolean }) {
  const { t } = useTranslation()
  return (
    <FrameMenu load={rail ? ofRail : ofBar} label={t('shell.language')} position={rail ? 'right' : 'bottom'}>
      <ActionIcon className={rail ? c.entry : undefined} tabIndex={rail ? -1 : 0} aria-label={t('shell.language')}>
        <IconLanguage size={22} stroke={1.6} />
      </ActionIcon>
    </FrameMenu>
  )
}
