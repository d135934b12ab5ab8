import { Menu, Tooltip } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { languages } from '@vexil/core/vocabulary'
import type { ReactElement } from 'react'
import { tag } from '../ui/text-files.ts'
import { useTranslation } from '../ui/texts.tsx'
import { chooseLanguage, languageNames } from './i18n.ts'
import { useOpenAtOnce } from './later-menu.tsx'

function LanguageList({ button, rail }: { readonly button: ReactElement; readonly rail: boolean }) {
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
export const OfRail = ({ button }: { readonly button: ReactElement }) => <LanguageList button={button} rail />
export const OfBar = ({ button }: { readonly button: ReactElement }) => <LanguageList button={button} rail={false} />
