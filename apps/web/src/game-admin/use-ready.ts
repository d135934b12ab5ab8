import { queryOptions, useQuery } from '@tanstack/react-query'
import { diskSpace } from '@vexil/contract/files'
import type { GameInfo } from '@vexil/contract/games'
import { engineStatus, gameImages } from '@vexil/contract/instances'
import { captcha } from '@vexil/contract/site'
import { hasContainer } from '@vexil/core/vocabulary'
import { call } from '../api/client.ts'
import { serverNow } from '../api/clock.ts'
import { keys } from '../api/query-keys.ts'
import { mailStateQuery } from '../api/shared.queries.ts'
import { useSite } from '../shell/site.ts'
import { challengesQuery, participationsQuery } from './game-admin.queries.ts'
import { type ReadyLine, readyLines } from './ready.ts'

/** The platform's state changes slowly; failed queries are left out. */
const slow = { staleTime: 60_000, retry: false } as const
const captchaQuery = queryOptions({ ...slow, queryKey: keys.captcha, queryFn: ({ signal }) => call(captcha, { signal }) })
const diskQuery = queryOptions({ ...slow, queryKey: keys.admin.disk, queryFn: ({ signal }) => call(diskSpace, { signal }) })
/** Read again, because an organiser waits for it to answer, and it may stop at any time. */
export const engineQuery = queryOptions({
  ...slow,
  queryKey: keys.admin.engine,
  queryFn: ({ signal }) => call(engineStatus, { signal }),
  refetchInterval: 30_000,
})

/** Read again while an image is being pulled. */
export const imagesQuery = (id: number) =>
  queryOptions({
    queryKey: keys.edit.images(id),
    queryFn: ({ signal }) => call(gameImages, { params: { id }, signal }),
    retry: false,
    refetchInterval: ({ state }) => (state.data?.some(({ state }) => state !== 'done') ? 3_000 : false),
  })

/** Undefined until everything but the engine has answered, which may be slow. */
export function useReady(game: GameInfo): readonly ReadyLine[] | undefined {
  const rows = useQuery(challengesQuery(game.id)).data
  const { containers } = useSite()
  const teams = useQuery(participationsQuery(game.id)).data
  const mail = useQuery(mailStateQuery)
  const widget = useQuery(captchaQuery)
  const disk = useQuery(diskQuery)
  const hasContainers = rows?.some(({ type }) => hasContainer(type)) ?? false
  const images = useQuery({ ...imagesQuery(game.id), enabled: hasContainers && containers !== 'None' }).data
  const engine = useQuery({ ...engineQuery, enabled: hasContainers }).data
  if (!rows || !teams || mail.isPending || widget.isPending || disk.isPending) return undefined
  const now = serverNow()
  return readyLines({
    game,
    rows,
    accepted: teams.filter(({ status }) => status === 'Accepted').length,
    pending: teams.filter(({ status }) => status === 'Pending').length,
    mail: mail.data?.configured,
    captcha: widget.data && widget.data.type !== 'None',
    engine: engine?.state,
    images,
    disk: disk.data,
    clockOff: now - Date.now(),
    now,
  })
}
