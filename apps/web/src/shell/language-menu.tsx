import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import { IconCheck, IconLanguage } from '@tabler/icons-react'
import { languages } from '@vexil/core/vocabulary'
import { useState } from 'react'
import { tag } from '../ui/text-files.ts'
import { useTranslation } from '../ui/texts.tsx'
import { chooseLanguage, languageNames } from './i18n.ts'
import c from './rail.module.css'

/** Names each language by itself; choosing changes everything at once (LANG-1). */
export function LanguageMenu({ rail }: { readonly rail?: boolean }) {
  const { t, language: shown } = useTranslation()
  const [opened, setOpened] = useState(false)
  return (
    <Menu position={rail ? 'right-end' : 'bottom-end'} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <Tooltip label={t('shell.language')} disabled={opened} position={rail ? 'right' : 'bottom'}>
          <ActionIcon className={rail ? c.entry : undefined} aria-label={t('shell.language')}>
            <IconLanguage size={22} stroke={1.6} />
          </ActionIcon>
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
