import { Select, Switch, TextInput } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { IconFlag, IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { Empty } from '../ui/states.tsx'
import { ChallengeCard } from './challenge-card.tsx'
import c from './play.module.css'
import type { Shown } from './shown.ts'

const sorts = ['category', 'points', 'solves', 'newest'] as const
type Sort = (typeof sorts)[number]

const order: Record<Sort, (a: Shown, b: Shown) => number> = {
  category: () => 0,
  points: (a, b) => b.score - a.score,
  solves: (a, b) => b.solved - a.solved,
  newest: (a, b) => Date.parse(b.enabledAt ?? '') - Date.parse(a.enabledAt ?? ''),
}

interface Props {
  readonly cards: readonly Shown[]
  readonly category: string | null
  readonly ended: boolean
  readonly onOpen: (id: number) => void
}

export function CardGrid({ cards, category, ended, onOpen }: Props) {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const [search, setSearch] = useState('')
  const [hide, setHide] = useLocalStorage({ key: 'hideSolved', defaultValue: false })
  const field = useRef<HTMLInputElement>(null)
  const asked = query.get('sort')
  const sort = sorts.find((name) => name === asked) ?? 'category'

  useEffect(() => {
    const heard = (event: globalThis.KeyboardEvent) => {
      const typing =
        event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable], [role=dialog]')
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      field.current?.focus()
    }
    window.addEventListener('keydown', heard)
    return () => window.removeEventListener('keydown', heard)
  }, [])

  const inTab = category === null ? cards : cards.filter((card) => card.category === category)
  const wanted = search.trim().toLowerCase()
  const shown = inTab
    .filter((card) => (!hide || !card.isSolved) && card.title.toLowerCase().includes(wanted))
    .toSorted(order[sort])

  if (cards.length === 0)
    return <Empty icon={<IconFlag size={32} stroke={1.4} />} title={t('play.none')} text={t('play.noneText')} />
  return (
    <>
      <div className={c.tools}>
        <TextInput
          ref={field}
          className={c.search}
          aria-label={t('play.find')}
          placeholder={t('play.find')}
          leftSection={<IconSearch size={18} stroke={1.6} />}
          rightSection={
            <kbd className={c.key} aria-hidden>
              /
            </kbd>
          }
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Select
          className={c.sort}
          aria-label={t('play.sort')}
          value={sort}
          data={sorts.map((name) => ({ value: name, label: t(`play.by.${name}`) }))}
          allowDeselect={false}
          onChange={(value) =>
            setQuery(
              (old) => {
                const next = new URLSearchParams(old)
                if (!value || value === 'category') next.delete('sort')
                else next.set('sort', value)
                return next
              },
              { replace: true },
            )
          }
        />
        <Switch
          className={c.hide}
          label={t('play.hideSolved')}
          labelPosition="left"
          checked={hide}
          onChange={(event) => setHide(event.currentTarget.checked)}
        />
      </div>
      {shown.length > 0 ? (
        <ul className={c.cards} onKeyDown={move}>
          {shown.map((card) => (
            <li key={card.id}>
              <ChallengeCard card={card} ended={ended} onOpen={() => onOpen(card.id)} />
            </li>
          ))}
        </ul>
      ) : wanted !== '' ? (
        <Empty title={t('play.notFound')} />
      ) : (
        <Empty
          title={t('play.allSolved')}
          action={
            <button type="button" className="link" onClick={() => setHide(false)}>
              {t('play.showSolved')}
            </button>
          }
        />
      )}
    </>
  )
}

/** Arrow keys go from card to card; up and down go by the row that stands there. */
function move(event: KeyboardEvent<HTMLUListElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  if (at < 0) return
  const top = buttons[0]?.getBoundingClientRect().top
  const across = Math.max(
    1,
    buttons.findIndex((button) => button.getBoundingClientRect().top !== top),
  )
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: across, ArrowUp: -across }[event.key]
  if (step === undefined) return
  event.preventDefault()
  buttons[at + step]?.focus()
}
