import { Button, SegmentedControl, Skeleton, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { BasicGame } from '@vexil/contract/games'
import type { Phase } from '@vexil/core/phases'
import { useRef } from 'react'
import { Link, useSearchParams } from 'react-router'
import { myGamesQuery } from '../api/shared.queries.ts'
import { usePhaseClock } from '../api/use-phase.ts'
import { paths } from '../shell/paths.ts'
import { reaches, useSession } from '../shell/session.ts'
import { Empty } from '../ui/base/states.tsx'
import { focusSearch, useSlash } from '../ui/base/use-slash.ts'
import { useTranslation } from '../ui/text/texts.tsx'
import { GameCard } from './game-card.tsx'
import c from './game-list.module.css'
import { orderGames, phaseAt } from './game-order.ts'

const phases: readonly Phase[] = ['running', 'before', 'ended']

/** All games with a filter by phase and a search by title, both kept in the address. */
export function GameList({ games }: { readonly games: readonly BasicGame[] }) {
  const { t } = useTranslation()
  const session = useSession()
  const { data: mine } = useQuery({ ...myGamesQuery, enabled: session.state === 'member' })
  const now = usePhaseClock(games)
  const [query, setQuery] = useSearchParams()
  const search = useRef<HTMLInputElement>(null)
  useSlash(search)

  const phase = phases.find((one) => one === query.get('show'))
  const text = query.get('q') ?? ''
  const change = (name: 'show' | 'q', value: string) => {
    setQuery(
      (before) => {
        if (value) before.set(name, value)
        else before.delete(name)
        return before
      },
      { replace: true },
    )
  }

  if (games.length === 0) return <NoGames />
  const found = orderGames(games, now).filter(
    (game) => (!phase || phaseAt(game, now) === phase) && game.title.toLowerCase().includes(text.trim().toLowerCase()),
  )
  return (
    <>
      <div className={c.tools}>
        <TextInput
          ref={search}
          className={c.search}
          type="search"
          aria-label={t('games.find')}
          placeholder={t('games.find')}
          leftSection={<IconSearch size={18} stroke={1.6} />}
          value={text}
          onChange={(event) => change('q', event.currentTarget.value)}
        />
        <SegmentedControl
          aria-label={t('games.filter')}
          value={phase ?? ''}
          onChange={(value) => change('show', value)}
          data={[
            { value: '', label: t('games.filterAll') },
            ...phases.map((one) => ({ value: one, label: t(`games.phase.${one}`) })),
          ]}
        />
      </div>
      {found.length === 0 ? (
        <Empty
          title={t('games.nothingFound')}
          action={
            <Button
              variant="default"
              onClick={() => {
                setQuery({}, { replace: true })
                focusSearch()
              }}
            >
              {t('games.showAll')}
            </Button>
          }
        />
      ) : (
        <ul className={c.list}>
          {found.map((game) => (
            <GameCard
              key={game.id}
              game={game}
              phase={phaseAt(game, now)}
              status={mine?.find(({ gameId }) => gameId === game.id)?.status}
            />
          ))}
        </ul>
      )}
    </>
  )
}

function NoGames() {
  const { t } = useTranslation()
  const { role } = useSession()
  const action = reaches(role, 'Admin') && (
    <Button component={Link} to={paths.admin.newGame}>
      {t('games.create')}
    </Button>
  )
  return <Empty flag="G" title={t('games.none')} text={t('games.noneText')} action={action} />
}

export function GameListSkeleton() {
  return (
    <ul className={c.list} aria-hidden>
      {[1, 2, 3].map((one) => (
        <li key={one} className={c.card}>
          <Skeleton width={88} height={40} />
          <div>
            <Skeleton width="40%" height={20} />
            <Skeleton width="60%" height={12} mt={12} />
            <Skeleton width="85%" height={12} mt={12} />
          </div>
        </li>
      ))}
    </ul>
  )
}
