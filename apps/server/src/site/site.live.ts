/** What this room tells the live channel: log entries to administrators, changed settings to every open page. */
import type { Deps } from '../deps.ts'
import type { Live } from '../http/live.ts'
import { listLogsBetween } from './logs.queries.ts'
import { logView } from './site.view.ts'

type SiteDeps = Pick<Deps, 'db' | 'bus' | 'onError' | 'settings' | 'versions'>

export function siteLive({ db, bus, onError, settings, versions }: SiteDeps, live: Live): void {
  const toAdmins = { hub: '/hub/admin' } as const
  // One after the other, so that administrators see entries in their order.
  let pushed: Promise<void> = Promise.resolve()
  bus.subscribe('log.written', ({ from, to }) => {
    if (live.count(toAdmins) > 0) pushed = pushed.then(() => push(from, to)).catch(onError)
  })
  /** Written by whichever node. */
  async function push(from: number, to: number): Promise<void> {
    for (const row of await listLogsBetween(db, from, to)) live.send(toAdmins, 'ReceivedLog', logView(row))
  }

  settings.onChange(() => {
    const at = Math.round(versions.now())
    live.send({ hub: '/hub/site' }, 'VexilSettings', { at })
    for (const game of live.gamesOf('/hub/user')) live.send({ hub: '/hub/user', game }, 'VexilSettings', { at })
  })
}
