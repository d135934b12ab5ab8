import { ActionIcon, Menu, Switch, TextInput } from '@mantine/core'
import { IconArrowsSort, IconCheck, IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, type RefObject, useRef } from 'react'
import { Empty } from '../ui/base/states.tsx'
import { focusSearch, useSlash } from '../ui/base/use-slash.ts'
import { Select } from '../ui/fields/select.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { ChallengeCard } from './challenge-card.tsx'
import { type Choice, type Sort, sorts } from './choice.ts'
import c from './play.module.css'
import type { Shown } from './shown.ts'

/** Up to this number of challenges the cards fill the height of the board. */
const tallCardsMax = 20

interface Props {
  readonly choice: Choice
  readonly cards: readonly Shown[]
  readonly list: readonly Shown[]
  readonly ended: boolean
  readonly onOpen: (id: number) => void
}

export function CardGrid({ choice, cards, list, ended, onOpen }: Props) {
  const { t } = useTranslation()
  const hide = useRef<HTMLInputElement>(null)
  if (cards.length === 0) return <Empty flag="C" title={t('play.none')} text={t('play.noneText')} />
  return (
    <>
      <Tools choice={choice} hide={hide} />
      {list.length > 0 ? (
        <ul
          id="challenges"
          className={cards.length <= tallCardsMax ? `${c.cards} ${c.tall}` : c.cards}
          tabIndex={-1}
          onKeyDown={move}
        >
          {list.map((card) => (
            <li key={card.id}>
              <ChallengeCard card={card} ended={ended} onOpen={() => onOpen(card.id)} />
            </li>
          ))}
        </ul>
      ) : choice.search.trim() !== '' ? (
        <Empty
          title={t('play.notFound')}
          action={
            <button
              type="button"
              className="link"
              onClick={() => {
                choice.setSearch('')
                focusSearch()
              }}
            >
              {t('board.clear')}
            </button>
          }
        />
      ) : (
        <Empty
          title={t('play.allSolved')}
          action={
            <button
              type="button"
              className="link"
              onClick={() => {
                choice.setHideSolved(false)
                // The button disappears with the message.
                hide.current?.focus()
              }}
            >
              {t('play.showSolved')}
            </button>
          }
        />
      )}
    </>
  )
}

interface ToolsProps extends Pick<Props, 'choice'> {
  readonly hide: RefObject<HTMLInputElement | null>
}

function Tools({ choice, hide }: ToolsProps) {
  const { t } = useTranslation()
  const { sort, search, hideSolved } = choice
  const field = useRef<HTMLInputElement>(null)
  useSlash(field)
  return (
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
        rightSectionProps={{ className: c.keyPlace }}
        value={search}
        onChange={(event) => choice.setSearch(event.currentTarget.value)}
      />
      <Select
        className={c.sort}
        aria-label={t('play.sort')}
        value={sort}
        data={sorts.map((name) => ({ value: name, label: t(`play.by.${name}`) }))}
        allowDeselect={false}
        onChange={(value) => choice.setSort((value ?? 'category') as Sort)}
      />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon className={c.sortMenu} variant="default" size={36} aria-label={t('play.sort')}>
            <IconArrowsSort size={18} stroke={1.6} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {sorts.map((name) => (
            <Menu.Item
              key={name}
              aria-current={name === sort || undefined}
              rightSection={name === sort && <IconCheck size={16} stroke={1.8} />}
              onClick={() => choice.setSort(name)}
            >
              {t(`play.by.${name}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Switch
        ref={hide}
        className={c.hide}
        classNames={{ label: c.hideName }}
        label={t('play.hideSolved')}
        labelPosition="left"
        checked={hideSolved}
        onChange={(event) => choice.setHideSolved(event.currentTarget.checked)}
      />
    </div>
  )
}

/** Arrow keys move the focus between cards; up and down by a row. */
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
