import { Pagination, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useSlash } from '../ui/base/use-slash.ts'
import { useTranslation } from '../ui/text/organiser-texts.ts'
import c from './list.module.css'
import { listPage } from './use-list-address.ts'

interface SearchProps {
  readonly label: string
  readonly search: string
  /** Null clears it. */
  readonly onSearch: (text: string | null) => void
  /** Characters from which typing searches; Enter searches for any text. */
  readonly least?: number
}

/** Milliseconds after the last key. */
const typingMs = 250

/** Searches while typing, immediately on Enter; clearing the field restores the list. `/` focuses it. */
export function SearchField({ label, search, onSearch, least = 1 }: SearchProps) {
  const [seen, setSeen] = useState(search)
  const [typed, setTyped] = useState(search)
  const [sent, setSent] = useState(search)
  const field = useRef<HTMLInputElement>(null)
  useSlash(field)
  // A button or the back button changed the search. A search from this field may be older than the typed text.
  if (seen !== search) {
    setSeen(search)
    if (search !== sent) {
      setSent(search)
      setTyped(search)
    }
  }
  const find = (text: string) => {
    setSent(text)
    if (text !== search) onSearch(text || null)
  }
  const findLater = useDebouncedCallback((text: string) => find(text.length < least ? '' : text), typingMs)
  const type = (text: string) => {
    setTyped(text)
    findLater(text.trim())
    if (text === '') findLater.flush()
  }
  return (
    <form
      className={c.search}
      onSubmit={(event) => {
        event.preventDefault()
        findLater.cancel()
        find(typed.trim())
      }}
    >
      <TextInput
        ref={field}
        leftSection={<IconSearch size={18} stroke={1.6} />}
        placeholder={label}
        aria-label={label}
        maxLength={256}
        enterKeyHint="search"
        value={typed}
        onChange={(event) => type(event.currentTarget.value)}
      />
    </form>
  )
}

interface FootProps {
  readonly shown: number
  readonly total: number
  readonly page: number
  readonly onTurn: (page: number) => void
}

export function ListFoot({ shown, total, page, onTurn }: FootProps) {
  const { t } = useTranslation()
  const pages = Math.ceil(total / listPage)
  return (
    <div className={c.foot}>
      <span className="num" role="status">
        {t('admin.shownOf', { shown, total })}
      </span>
      {pages > 1 && <Pagination size="sm" total={pages} value={page} onChange={onTurn} />}
    </div>
  )
}
