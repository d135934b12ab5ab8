import { ActionIcon } from '@mantine/core'
import { IconLanguage } from '@tabler/icons-react'
import { useTranslation } from '../ui/texts.tsx'
import { LaterMenu } from './later-menu.tsx'
import c from './rail.module.css'

const list = (rail: boolean | undefined) => () =>
  import('./language-list.tsx').then(({ OfRail, OfBar }) => ({ default: rail ? OfRail : OfBar }))

/** Names each language by itself; choosing changes everything at once (LANG-1). */
export function LanguageMenu({ rail }: { readonly rail?: boolean }) {
  const { t } = useTranslation()
  return (
    <LaterMenu load={list(rail)} label={t('shell.language')} position={rail ? 'right' : 'bottom'}>
      <ActionIcon className={rail ? c.entry : undefined} aria-label={t('shell.language')}>
        <IconLanguage size={22} stroke={1.6} />
      </ActionIcon>
    </LaterMenu>
  )
}
