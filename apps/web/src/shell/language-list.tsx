import { Menu } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { languages } from '@vexil/core/vocabulary'
import type { HTMLAttributes, ReactElement } from 'react'
import { Tooltip } from '../ui/overlays/tooltip.tsx'
import { tag } from '../ui/text/text-files.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { useOpenAtOnce } from './frame-menu.tsx'
import { chooseLanguage, languageNames } from './i18n.ts'

function LanguageList({ button, rail }: { readonly button: ReactElement<HTMLAttributes<HTMLElement>>; readonly rail: boolean }) {
  const { t, language: shown } = useTranslation()
  const [opened, setOpened] = useOpenAtOnce()
  return (
    <Menu position={rail ? 'right-end' : 'bottom-end'} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <Tooltip label={t('shell.language')} disabled={opened} position={rail ? 'right' : 'bottom'}>
          {button}
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {languages.map((language) => (
          <Menu.Item
            key={language}
            lang={tag(language)}
            aria-current={language === shown || undefined}
            rightSection={language === shown ? <IconCheck size={16} stroke={1.8} /> : undefined}
            onClick={() => void chooseLanguage(language)}
          >
            {languageNames[language]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
export const OfRail = ({ button }: { readonly button: ReactElement<HTMLAttributes<HTMLElement>> }) => (
  <LanguageList button={button} rail />
)
export const OfBar = ({ button }: { readonly button: ReactElement<HTMLAttributes<HTMLElement>> }) => (
  <LanguageList button={button} rail={false} />
)
