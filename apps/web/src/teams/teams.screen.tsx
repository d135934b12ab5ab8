import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { myTeamsQuery } from '../api/shared.queries.ts'
import { Page, PageHead } from '../ui/base/page.tsx'
import { QueryView } from '../ui/base/states.tsx'
import { useTranslation } from '../ui/text/texts.tsx'
import { CreateTeamButton } from './create-team.tsx'
import { JoinTeamButton } from './join-team.tsx'
import { TeamDialog } from './team-dialog.tsx'
import { TeamList } from './team-list.tsx'

export default function TeamsScreen() {
  const { t } = useTranslation()
  const teams = useQuery({ ...myTeamsQuery, refetchInterval: 120_000 })
  const [query, setQuery] = useSearchParams()
  const opened = teams.data?.find((team) => String(team.id) === query.get('team'))
  const open = (id?: number, replace = false) =>
    setQuery(
      (before) => {
        if (id === undefined) before.delete('team')
        else before.set('team', String(id))
        return before
      },
      { replace },
    )
  // Left, disbanded or removed from it.
  const isUnlisted = query.has('team') && teams.isSuccess && !teams.isFetching && !opened
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each team
  useEffect(() => {
    if (isUnlisted) open(undefined, true)
  }, [isUnlisted])
  const buttons = (
    <>
      <JoinTeamButton />
      <CreateTeamButton teams={teams.data ?? []} />
    </>
  )
  return (
    <Page>
      <PageHead title={t('teams.title')} sub={t('teams.sub')}>
        {teams.data && teams.data.length > 0 && buttons}
      </PageHead>
      <QueryView query={teams}>{(list) => <TeamList teams={list} onOpen={(id) => open(id)} buttons={buttons} />}</QueryView>
      <TeamDialog key={opened?.id} team={opened} onClose={() => open()} />
    </Page>
  )
}
