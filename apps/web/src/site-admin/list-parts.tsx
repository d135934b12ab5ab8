import { Pagination, TextInput } from '@mantine/core'
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
}

/** Searches on Enter; clearing the field restores the list. `/` focuses it. */
export function SearchField({ label, search, onSearch }: SearchProps) {
  const [seen, setSeen] = useState(search)
  const [typed, setTyped] = useState(search)
  const field = useRef<HTMLInputElement>(null)
  useSlash(field)
  // The back button changes the search, too.
  if (seen !== search) {
    setSeen(search)
    setTyped(search)
  }
  const type = (text: string) => {
    setTyped(text)
    if (text === '' && search !== '') onSearch(null)
  }
  return (
    <form
      className={c.search}
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(typed.trim() || null)
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
