// @vitest-environment jsdom
import { useQuery } from '@tanstack/react-query'
import { act } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { json, openPage, until } from '../../test/page.tsx'
import { keys } from '../api/query-keys.ts'
import { noticesQuery, useDetails, usePlayLive } from './play.queries.ts'

type Hear = Record<string, (message: object) => void>
let handlers: Hear = {}
vi.mock('../api/live.ts', async (original) => ({
  ...(await original<object>()),
  useLive: (options: { handlers: Hear }) => {
    handlers = options.handlers
    return 'live'
  },
}))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const loads: string[] = []
function Dialog({ challenge }: { readonly challenge: number }) {
  const { data } = useQuery({
    queryKey: keys.game(3).challenge(challenge),
    queryFn: async () => {
      loads.push(`challenge ${challenge}`)
      return loads.length
    },
  })
  return <p>{data}</p>
}
function Page() {
  usePlayLive(3, () => {})
  useDetails(3, true, 'live')
  useQuery(noticesQuery(3))
  return (
    <>
      <Dialog challenge={7} />
      <Dialog challenge={8} />
    </>
  )
}

test('CD-14 LIVE-4 a change of an instance by a team mate reloads its challenge at once, and no other; a change of the board reloads the own view within three seconds', async () => {
  const requests: string[] = []
  vi.stubGlobal('fetch', async (address: string) => {
    requests.push(address)
    return json([])
  })
  await openPage(<Page />)
  await until(() => expect(loads).toEqual(['challenge 7', 'challenge 8']))
  await act(async () => handlers.VexilInstances?.({ challengeId: 7 }))
  await until(() => expect(loads).toEqual(['challenge 7', 'challenge 8', 'challenge 7']))
  expect(requests.splice(1)).toEqual(['/api/game/3/notices?count=1000'])
  expect(requests).toEqual(['/api/game/3/details'])
  // A change of the challenges reloads them all, and one of the notices these alone.
  await act(async () => handlers.VexilGame?.({ what: 'notices' }))
  await until(() => expect(requests.splice(1)).toEqual(['/api/game/3/notices?count=1000']))
  await act(async () => handlers.VexilGame?.({ what: 'challenges' }))
  await until(() => expect(loads.slice(3).sort()).toEqual(['challenge 7', 'challenge 8']))
  await until(() => expect(requests.splice(1)).toEqual(['/api/game/3/details']))
  vi.spyOn(Math, 'random').mockReturnValue(1)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await act(async () => handlers.VexilBoard?.({}))
  await act(() => vi.advanceTimersByTimeAsync(2999))
  expect(requests).toHaveLength(1)
  await act(() => vi.advanceTimersByTimeAsync(1))
  expect(requests).toEqual(['/api/game/3/details', '/api/game/3/details'])
})
