import { ActionIcon, Button, Pagination, Switch, Tooltip } from '@mantine/core'
import { IconFlag3, IconPencil } from '@tabler/icons-react'
import type { GameInfo } from '@vexil/contract/games'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { usePhase } from '../api/use-phase.ts'
import { paths } from '../shell/paths.ts'
import { setHidden, useAskToShow } from '../shell/show-game.ts'
import { HoistPair } from '../ui/hoist.tsx'
import { Empty } from '../ui/states.tsx'
import { useAction } from '../ui/use-action.ts'
import { When } from '../ui/when.tsx'
import c from './games.module.css'
import { gamesPage, useGamesChanged } from './site-admin.queries.ts'

interface Props {
  readonly games: readonly GameInfo[]
  readonly total: number
  /** Filters by title and summary; then there are no pages. */
  readonly search: string
  readonly page: number
  readonly onPage: (page: number) => void
  readonly onClear: () => void
  readonly onCreate: () => void
}

const finds = ({ title, summary }: GameInfo, search: string) =>
  `${title}\n${summary}`.toLowerCase().includes(search.toLowerCase())

export function GamesTable({ games, total, search, page, onPage, onClear, onCreate }: Props) {
  const { t } = useTranslation()
  const shown = search ? games.filter((game) => finds(game, search)) : games
  const icon = <IconFlag3 size={32} stroke={1.4} />
  if (shown.length === 0 && search) {
    const clear = (
      <Button variant="default" onClick={onClear}>
        {t('admin.clearSearch')}
      </Button>
    )
    return <Empty icon={icon} title={t('admin.games.notFound')} action={clear} />
  }
  if (shown.length === 0) {
    const create = <Button onClick={onCreate}>{t('admin.games.create')}</Button>
    return <Empty icon={icon} title={t('admin.games.none')} text={t('admin.games.noneText')} action={create} />
  }
  const pages = search ? 1 : Math.ceil(total / gamesPage)
  return (
    <>
      <table className={c.table}>
        <thead>
          <tr>
            <th scope="col" className={c.hidden}>
              {t('admin.games.hidden')}
            </th>
            <th scope="col">{t('admin.games.game')}</th>
            <th scope="col" className={c.times}>
              {t('admin.games.times')}
            </th>
            <th scope="col">{t('admin.games.summary')}</th>
            <th scope="col" className={c.edit}>
              <span className="unseen">{t('ui.edit')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((game) => (
            <Row key={game.id} game={game} />
          ))}
        </tbody>
      </table>
      <div className={c.foot}>
        <span className="num">{t('admin.shownOf', { shown: shown.length, total: search ? shown.length : total })}</span>
        {pages > 1 && (
          <Pagination
            size="sm"
            total={pages}
            value={page}
            onChange={(to) => {
              onPage(to)
              window.scrollTo({ top: 0 })
            }}
          />
        )}
      </div>
    </>
  )
}

/** The switch follows the finger and goes back when the server refuses (AG-1). */
function Row({ game }: { readonly game: GameInfo }) {
  const { t } = useTranslation()
  const changed = useGamesChanged()
  const phase = usePhase(game)
  const hide = useAction({
    id: `hide-${game.id}`,
    call: (hidden: boolean) => setHidden(game, hidden),
    done: (now) => t(now.hidden ? 'admin.games.isHidden' : 'admin.games.isShown', { title: now.title }),
    failed: t('admin.notSaved'),
    onDone: () => changed(),
  })
  const ask = useAskToShow()
  const set = async (hidden: boolean) => {
    if (hidden || (await ask(game))) await hide.start(hidden)
  }
  return (
    <tr>
      <td>
        <Switch
          aria-label={t('admin.games.hide', { title: game.title })}
          checked={hide.busy ? !game.hidden : game.hidden}
          disabled={hide.busy || hide.wait > 0}
          onChange={(event) => void set(event.currentTarget.checked)}
        />
      </td>
      <td>
        <div className={c.game}>
          <HoistPair title={game.title} id={game.id} poster={game.poster} size={24} />
          <div className={c.words}>
            <Link to={paths.game(game.id)} className={`${c.name} cut`}>
              {game.title}
            </Link>
            <span className={c[phase]}>{t(`games.phase.${phase}`)}</span>
          </div>
        </div>
      </td>
      <td className="small">
        <When at={game.start} />
        <br />
        <When at={game.end} className="faint" />
      </td>
      <td className="small">
        <span className={c.summary}>{game.summary}</span>
      </td>
      <td>
        <Tooltip label={t('ui.edit')}>
          <ActionIcon component={Link} to={paths.admin.game(game.id)} aria-label={t('admin.games.edit', { title: game.title })}>
            <IconPencil size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
      </td>
    </tr>
  )
}
