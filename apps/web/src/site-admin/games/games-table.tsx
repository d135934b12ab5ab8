import { Button } from '@mantine/core'
import type { GameInfo } from '@vexil/contract/games'
import { Empty } from '../../ui/base/states.tsx'
import table from '../../ui/base/table.module.css'
import { focusSearch } from '../../ui/base/use-slash.ts'
import { useTranslation } from '../../ui/text/organiser-texts.ts'
import c from '../list.module.css'
import { ListFoot } from '../list-parts.tsx'
import { PickHead, usePicks } from '../picks.tsx'
import { GameRow } from './game-row.tsx'
import g from './games.module.css'
import { GamesBar } from './games-bar.tsx'

interface Props {
  readonly games: readonly GameInfo[]
  readonly total: number
  /** Filters by title and summary, without pages. */
  readonly search: string
  readonly page: number
  readonly onTurn: (page: number) => void
  readonly onClear: () => void
  readonly onCreate: () => void
}

const finds = ({ title, summary }: GameInfo, search: string) =>
  `${title}\n${summary}`.toLowerCase().includes(search.toLowerCase())

export function GamesTable({ games, total, search, page, onTurn, onClear, onCreate }: Props) {
  const { t } = useTranslation()
  const shown = search ? games.filter((game) => finds(game, search)) : games
  const picks = usePicks(shown, ({ id }) => id)
  if (shown.length === 0 && (search || page > 1)) {
    const clear = (
      <Button
        variant="default"
        onClick={() => {
          onClear()
          focusSearch()
        }}
      >
        {t('admin.clearSearch')}
      </Button>
    )
    return <Empty flag="G" title={t('admin.games.notFound')} action={clear} />
  }
  if (shown.length === 0) {
    const create = <Button onClick={onCreate}>{t('admin.games.create')}</Button>
    return <Empty flag="G" title={t('admin.games.none')} text={t('admin.games.noneText')} action={create} />
  }
  return (
    <>
      <table className={`${table.table} ${table.cards} ${c.table} ${g.table}`}>
        <thead>
          <tr>
            <PickHead picks={picks} />
            {(['hidden', 'game', 'status', 'times', 'summary', 'actions'] as const).map((column) => (
              <th key={column} scope="col" className={g[column]}>
                <span className={column === 'actions' ? 'unseen' : undefined}>{t(`admin.games.${column}`)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((game) => (
            <GameRow key={game.id} game={game} picks={picks} />
          ))}
        </tbody>
      </table>
      <GamesBar picks={picks} />
      <ListFoot shown={shown.length} total={search ? shown.length : total} page={page} onTurn={onTurn} />
    </>
  )
}
