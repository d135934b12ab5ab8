import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query'
import { listFiles } from '@vexil/contract/files'
import { editListGames } from '@vexil/contract/games'
import { getHealth } from '@vexil/contract/health'
import { engineStatus, isolationProbe, listInstances } from '@vexil/contract/instances'
import { listMails } from '@vexil/contract/mails'
import { getServices } from '@vexil/contract/service-settings'
import { getSiteConfig } from '@vexil/contract/settings'
import { call } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'

const gamesPage = 30

export const editGamesQuery = (page: number) =>
  queryOptions({
    queryKey: keys.edit.games({ page }),
    queryFn: ({ signal }) => call(editListGames, { query: { count: gamesPage, skip: (page - 1) * gamesPage }, signal }),
    placeholderData: keepPreviousData,
  })

/** All games, for a search: the call cannot search. */
export const everyGameQuery = queryOptions({
  queryKey: keys.edit.games({ page: 'all' }),
  queryFn: ({ signal }) => call(editListGames, { query: { count: 10_000 }, signal }),
})

export function useGamesChanged(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    void queries.invalidateQueries({ queryKey: keys.games.all })
    void queries.invalidateQueries({ queryKey: ['edit', 'game'] })
    void queries.invalidateQueries({ queryKey: ['game'] })
    await queries.invalidateQueries({ queryKey: keys.edit.games() })
  }
}

export const siteConfigQuery = queryOptions({
  queryKey: keys.admin.settings,
  queryFn: ({ signal }) => call(getSiteConfig, { signal }),
})

export function useSettingsChanged(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    void queries.invalidateQueries({ queryKey: keys.config })
    await queries.invalidateQueries({ queryKey: keys.admin.settings })
  }
}

export const servicesQuery = queryOptions({
  queryKey: keys.admin.services,
  queryFn: ({ signal }) => call(getServices, { signal }),
})

export function useServicesChanged(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    void queries.invalidateQueries({ queryKey: keys.captcha })
    void queries.invalidateQueries({ queryKey: keys.admin.settings })
    void queries.invalidateQueries({ queryKey: keys.admin.mails() })
    await queries.invalidateQueries({ queryKey: keys.admin.services })
  }
}

export const failedMailsStep = 10

export const failedMailsQuery = (count: number) =>
  queryOptions({
    queryKey: keys.admin.mails({ count }),
    queryFn: ({ signal }) => call(listMails, { query: { count, state: 'Failed' }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

export function useMailsChanged(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: keys.admin.mails() })
}

export const instancesQuery = queryOptions({
  queryKey: keys.admin.instances,
  queryFn: ({ signal }) => call(listInstances, { signal }),
  staleTime: 5000,
  refetchInterval: 30_000,
})

export const engineQuery = queryOptions({
  queryKey: keys.admin.engine,
  queryFn: ({ signal }) => call(engineStatus, { signal }),
  staleTime: 5000,
  refetchInterval: 30_000,
})

export const isolationQuery = queryOptions({
  queryKey: keys.admin.isolation,
  queryFn: ({ signal }) => call(isolationProbe, { signal }),
  staleTime: 5000,
  refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1000 : 30_000),
})

export const healthQuery = queryOptions({
  queryKey: keys.admin.health,
  queryFn: ({ signal }) => call(getHealth, { signal }),
  staleTime: 1000,
  refetchInterval: 30_000,
})

/** Removes destroyed instances from the list at once; reloads it and the state of the engine, which counts containers. */
export function useRemoveInstances(): (ids: ReadonlySet<string>) => Promise<void> {
  const queries = useQueryClient()
  return async (ids) => {
    queries.setQueryData(
      instancesQuery.queryKey,
      (old) => old && { ...old, data: old.data.filter(({ containerGuid }) => !ids.has(containerGuid)) },
    )
    void queries.invalidateQueries({ queryKey: engineQuery.queryKey })
    await queries.invalidateQueries({ queryKey: instancesQuery.queryKey })
  }
}

export const filePage = 20

export const filesQuery = (page: number) =>
  queryOptions({
    queryKey: keys.admin.files({ page }),
    queryFn: ({ signal }) => call(listFiles, { query: { count: filePage, skip: (page - 1) * filePage }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })

export function useFilesChanged(): () => Promise<void> {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: keys.admin.files() })
}
