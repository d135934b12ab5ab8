import { Kbd, TextInput } from '@mantine/core'
import {
  IconBolt,
  IconFlag,
  IconFlag3,
  IconLayout,
  IconSearch,
  IconSettings,
  IconUser,
  IconUsersGroup,
} from '@tabler/icons-react'
import { Fragment, type KeyboardEvent, type Ref, useEffect, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { matchScore } from './fuzzy.ts'
import c from './palette.module.css'
import { type Entry, useAllLanguages, useEntries } from './palette-entries.ts'
import { written } from './written-key.ts'

const icons: Readonly<Record<Entry['kind'], typeof IconFlag>> = {
  screen: IconLayout,
  game: IconFlag3,
  challenge: IconFlag,
  team: IconUsersGroup,
  user: IconUser,
  settings: IconSettings,
  action: IconBolt,
}

const recentKey = 'recent'
const most = 50
const remembered = 8

function readRecent(): string[] {
  try {
    return JSON.parse(localStorage.getItem(recentKey) ?? '[]')
  } catch {
    return []
  }
}

function remember(id: string): void {
  try {
    localStorage.setItem(recentKey, JSON.stringify([id, ...readRecent().filter((one) => one !== id)].slice(0, remembered)))
  } catch {
    // Storage is off: nothing is recent.
  }
}

/** By score; recent entries first among equals, and before all others while nothing is typed. */
function ordered(entries: readonly Entry[], typed: string, recent: readonly string[]): Entry[] {
  const age = (id: string) => (recent.includes(id) ? recent.indexOf(id) : remembered)
  return entries
    .map((entry) => ({ entry, score: Math.max(...entry.names.map((name) => matchScore(typed, name))) }))
    .filter(({ score }) => score > 0)
    .sort(
      (a, b) =>
        (typed.trim() ? Math.round(b.score) - Math.round(a.score) : 0) || age(a.entry.id) - age(b.entry.id) || b.score - a.score,
    )
    .map(({ entry }) => entry)
    .slice(0, most)
}

interface Props {
  readonly opened: boolean
  readonly onClose: () => void
}

export default function PaletteList({ opened, onClose }: Props) {
  const { t } = useTranslation()
  return (
    <Dialog opened={opened} onClose={onClose} title={t('palette.title')} size={560} tall>
      {opened && <Content onClose={onClose} />}
    </Dialog>
  )
}

function Content({ onClose }: Pick<Props, 'onClose'>) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const list = useId()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const [recent] = useState(readRecent)
  useAllLanguages()
  const shown = ordered(useEntries(typed), typed, recent)
  const chosen = Math.min(at, shown.length - 1)
  const recentShown = typed.trim() === '' ? shown.filter(({ id }) => recent.includes(id)).length : 0
  const current = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one is chosen
  useEffect(() => {
    // Newer browsers return a promise, which is not a clean-up function of an effect.
    void current.current?.scrollIntoView?.({ block: 'nearest' })
  }, [chosen, typed])

  const open = ({ id, to, act }: Entry) => {
    remember(id)
    onClose()
    if (to !== undefined) void navigate(to)
    // After the palette is closed, so that what opens next keeps the focus.
    else setTimeout(() => act?.())
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const entry = shown[chosen]
    if (step) setAt((chosen + step + shown.length) % Math.max(1, shown.length))
    else if (event.key === 'Enter' && entry && !event.nativeEvent.isComposing) open(entry)
    else return
    event.preventDefault()
  }
  return (
    <>
      <TextInput
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={shown[chosen] && `${list}-${chosen}`}
        aria-label={t('palette.title')}
        placeholder={t('palette.find')}
        leftSection={<IconSearch size={18} stroke={1.6} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      <div className={c.list} id={list} role="listbox" aria-label={t('palette.title')}>
        {shown.map((entry, index) => (
          <Fragment key={entry.id}>
            {recentShown > 0 && (index === 0 || index === recentShown) && (
              <p className={c.heading} aria-hidden>
                {t(index === 0 ? 'palette.recent' : 'palette.all')}
              </p>
            )}
            <Option
              id={`${list}-${index}`}
              ref={index === chosen ? current : undefined}
              entry={entry}
              chosen={index === chosen}
              onOpen={() => open(entry)}
            />
          </Fragment>
        ))}
      </div>
      {shown.length === 0 && (
        <p className={c.none} role="status">
          {t('palette.none')}
        </p>
      )}
    </>
  )
}

interface OptionProps {
  readonly id: string
  readonly ref: Ref<HTMLDivElement> | undefined
  readonly entry: Entry
  readonly chosen: boolean
  readonly onOpen: () => void
}

function Option({ id, ref, entry, chosen, onOpen }: OptionProps) {
  const { t } = useTranslation()
  const Icon = icons[entry.kind]
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
    // biome-ignore lint/a11y/useFocusableInteractive: the field above has the focus
    <div id={id} ref={ref} className={c.entry} role="option" aria-selected={chosen} onClick={onOpen}>
      <Icon className={c.icon} size={18} stroke={1.6} aria-hidden />
      <span className={`${c.name} cut`}>
        {entry.name}
        {entry.of && <span className={c.of}> {entry.of}</span>}
      </span>
      {entry.key ? <Kbd size="xs">{written(entry.key)}</Kbd> : <span className={c.kind}>{t(`palette.kind.${entry.kind}`)}</span>}
    </div>
  )
}
