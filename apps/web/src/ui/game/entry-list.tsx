import { Button } from '@mantine/core'
import { IconTerminal2 } from '@tabler/icons-react'
import type { Entry } from '@vexil/contract/challenges'
import { useTranslation } from '../text/texts.tsx'
import c from './entry-field.module.css'
import { EntryCommands, EntryField, PageLink } from './entry-field.tsx'
import { entryLinks } from './entry-links.ts'

interface Props {
  readonly entries: readonly Entry[]
  /** `https://*.example.net`, or null. */
  readonly hosts: string | null | undefined
  /** Test containers have another tunnel address. */
  readonly test?: boolean
  /** `name`: of the port. */
  readonly onTerminal: (name: string, url: string) => void
}

/** The named ports of an instance, each with its address, and its commands in a part that opens. */
export function NamedEntries({ entries, hosts, test = false, onTerminal }: Props) {
  const named = entries.filter((one): one is Entry & { name: string } => one.name !== null)
  if (named.length === 0) return null
  return (
    <ul className={c.named}>
      {named.map((one) => (
        <NamedEntry key={one.name} entry={one} hosts={hosts} test={test} onTerminal={onTerminal} />
      ))}
    </ul>
  )
}

function NamedEntry({ entry, hosts, test, onTerminal }: { readonly entry: Entry & { name: string } } & Omit<Props, 'entries'>) {
  const { t } = useTranslation()
  const { name, entry: place, tlsEntry } = entry
  const { shown, opens, page, commands, proxied } = entryLinks(place, hosts ?? null, { tls: tlsEntry, ...(test && { test }) })
  return (
    <li className={c.namedEntry}>
      <EntryField value={shown} opens={opens} label={t('ui.entryOf', { name })} tag={name} />
      <details>
        <summary>{t('ui.connectTo', { name })}</summary>
        <div className={c.commands}>
          <div className={c.namedWays}>
            {page && <PageLink page={page} />}
            {proxied && (
              <Button
                variant="default"
                size="sm"
                leftSection={<IconTerminal2 size={16} stroke={1.8} />}
                onClick={() => onTerminal(name, shown)}
              >
                {t('ui.openTerminal')}
              </Button>
            )}
          </div>
          <EntryCommands commands={commands} />
        </div>
      </details>
    </li>
  )
}
