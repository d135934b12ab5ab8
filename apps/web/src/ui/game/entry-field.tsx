import { ActionIcon, Button } from '@mantine/core'
import { IconExternalLink, IconWorld } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { CopyButton } from '../base/copy.tsx'
import { Tooltip } from '../overlays/tooltip.tsx'
import { useTranslation } from '../text/texts.tsx'
import c from './entry-field.module.css'
import type { EntryLinks } from './entry-links.ts'

interface Props {
  /** Shown, and copied unless `copies` is set. */
  readonly value: string
  readonly copies?: string
  /** Address of the open icon, in a new tab. */
  readonly opens?: string
  readonly label: string
  /** Muted: an addition to another entry. */
  readonly second?: boolean
  readonly tag?: string
  readonly children?: ReactNode
}

export function EntryField({ value, copies, opens, label, second, tag, children }: Props) {
  const { t } = useTranslation()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a form where there is none
    <div className={second ? `${c.entry} ${c.second}` : c.entry} role="group" aria-label={label}>
      {tag && <span className={c.tag}>{tag}</span>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long values scroll sideways and must be reachable by keyboard */}
      <span className={c.value} tabIndex={0}>
        {value}
      </span>
      <CopyButton text={copies ?? value} />
      {opens && (
        <Tooltip label={t('ui.open')}>
          <ActionIcon size="sm" component="a" href={opens} target="_blank" rel="noopener noreferrer" aria-label={t('ui.open')}>
            <IconExternalLink size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      )}
      {children}
    </div>
  )
}

/** Command lines of shell programs start with the program's name and need no tag. */
const tags = { nc: undefined, ncat: undefined, openssl: undefined, pwntools: 'pwntools', node: 'Node', python: 'Python' } as const

export function EntryCommands({ commands }: Pick<EntryLinks, 'commands'>) {
  const { t } = useTranslation()
  return (
    <div className={c.commands}>
      {commands.map((command) => (
        <EntryField
          key={command.with}
          value={command.line}
          label={t(`ui.connectWith.${command.with}`)}
          {...(tags[command.with] && { tag: tags[command.with] })}
          second
        />
      ))}
    </div>
  )
}

/** Opens the page of an instance. It is hostile: no referrer, no opener. */
export function PageLink({ page }: { readonly page: string }) {
  const { t } = useTranslation()
  return (
    <Button
      component="a"
      href={page}
      target="_blank"
      rel="noopener noreferrer"
      variant="default"
      size="sm"
      leftSection={<IconWorld size={16} stroke={1.6} />}
    >
      {t('ui.openPage')}
    </Button>
  )
}
