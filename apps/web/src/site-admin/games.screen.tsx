import { Button, TextInput } from '@mantine/core'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useKeys } from '../ui/keys.ts'
import { QueryView } from '../ui/states.tsx'
import { useSlash } from '../ui/use-slash.ts'
import { AdminFrame } from './admin-frame.tsx'
import c from './games.module.css'
import { GamesTable } from './games-table.tsx'
import { NewGameDialog } from './new-game-dialog.tsx'
import { editGamesQuery, everyGameQuery } from './site-admin.queries.ts'

/** Whole number of a page in the address; anything else is the first. */
const pageOf = (text: string | null) => Math.max(1, Number.parseInt(text ?? '1', 10) || 1)

export default function AdminGamesScreen() {
  const { t } = useTranslation()
  const [query, setQuery] = useSearchParams()
  const [creating, setCreating] = useState(false)
  const wanted = query.get('search') ?? ''
  const [typed, setTyped] = useState(wanted)
  const field = useRef<HTMLInputElement>(null)
  const page = pageOf(query.get('page'))
  const paged = useQuery({ ...editGamesQuery(page), enabled: wanted === '' })
  const every = useQuery({ ...everyGameQuery, enabled: wanted !== '' })
  useKeys([{ key: 'n', name: t('admin.games.create'), act: () => setCreating(true) }])
  useSlash(field)
  const search = (text: string) => {
    setTyped(text)
    setQuery(text.trim() ? { search: text.trim() } : {})
  }
  return (
    <AdminFrame tab="games">
      <div className={c.tools}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            search(typed)
          }}
        >
          <TextInput
            ref={field}
            className={c.search}
            leftSection={<IconSearch size={18} stroke={1.6} />}
            placeholder={t('admin.games.find')}
            aria-label={t('admin.games.find')}
            value={typed}
            onChange={(event) => (event.currentTarget.value ? setTyped(event.currentTarget.value) : search(''))}
          />
        </form>
        <Button leftSection={<IconPlus size={18} stroke={1.8} />} onClick={() => setCreating(true)}>
          {t('admin.games.create')}
        </Button>
      </div>
      <QueryView query={wanted === '' ? paged : every}>
        {({ data, total }) => (
          <GamesTable
            games={data}
            total={total}
            search={wanted}
            page={page}
            onPage={(to) => setQuery(to > 1 ? { page: String(to) } : {})}
            onClear={() => search('')}
            onCreate={() => setCreating(true)}
          />
        )}
      </QueryView>
      {creating && <NewGameDialog onClose={() => setCreating(false)} />}
    </AdminFrame>
  )
}
