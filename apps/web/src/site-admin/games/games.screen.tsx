import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useKeys } from '../../ui/base/keyboard.ts'
import { QueryView } from '../../ui/base/states.tsx'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from '../list.module.css'
import { SearchField } from '../list-parts.tsx'
import { editGamesQuery, everyGameQuery } from '../site-admin.queries.ts'
import { AdminFrame } from '../site-admin-frame.tsx'
import { useExistingPage, useListAddress } from '../use-list-address.ts'
import { GamesTable } from './games-table.tsx'
import { ImportGameButton } from './import-game-button.tsx'
import { NewGameDialog } from './new-game-dialog.tsx'

export default function AdminGamesScreen() {
  const { t } = useTranslation()
  const { search, page, part, change, find, turn } = useListAddress()
  const [pressed, setPressed] = useState(false)
  // The link of an empty home page opens the form.
  const creating = pressed || part('new') !== null
  const setCreating = (on: boolean) => {
    setPressed(on)
    if (!on && part('new') !== null) change({ new: null })
  }
  const paged = useQuery({ ...editGamesQuery(page), enabled: search === '' })
  useExistingPage(paged, { page })
  const every = useQuery({ ...everyGameQuery, enabled: search !== '' })
  useKeys([{ key: 'n', name: t('admin.games.create'), act: () => setCreating(true) }])
  return (
    <AdminFrame tab="games">
      <div className={c.tools}>
        <SearchField label={t('admin.games.find')} search={search} onSearch={find} />
        <span className={c.right}>
          <ImportGameButton />
          <Button leftSection={<IconPlus size={18} stroke={1.8} />} onClick={() => setCreating(true)}>
            {t('admin.games.create')}
          </Button>
        </span>
      </div>
      <QueryView query={search === '' ? paged : every}>
        {({ data, total }) => (
          <GamesTable
            games={data}
            total={total}
            search={search}
            page={page}
            onTurn={turn}
            onClear={() => change({ search: null })}
            onCreate={() => setCreating(true)}
          />
        )}
      </QueryView>
      {creating && <NewGameDialog onClose={() => setCreating(false)} />}
    </AdminFrame>
  )
}
