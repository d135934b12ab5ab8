import { useQuery } from '@tanstack/react-query'
import { allGamesQuery } from '../api/shared.queries.ts'
import { Page, PageHead } from '../ui/base/page.tsx'
import { QueryView } from '../ui/base/states.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { GameList, GameListSkeleton } from './game-list.tsx'

export default function GamesScreen() {
  const { t } = useTranslation()
  const games = useQuery(allGamesQuery)
  return (
    <Page>
      <PageHead title={t('games.title')} />
      <QueryView query={games} waiting={<GameListSkeleton />}>
        {(all) => <GameList games={all} />}
      </QueryView>
    </Page>
  )
}
