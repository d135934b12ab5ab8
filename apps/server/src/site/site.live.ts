import { settingsRepeatAfter } from '@vexil/core/limits'
import { coalesce } from '../coalesce.ts'
import type { Deps } from '../deps.ts'
import type { Live } from '../http/live.ts'
import type { Events } from '../ports/bus/bus.ts'
import { listLogsOf } from './logs.queries.ts'
import { logView } from './site.view.ts'

type SiteDeps = Pick<Deps, 'db' | 'bus' | 'onError' | 'settings' | 'versions'>

/** Changed settings are announced twice: a page that requested them before the change may open its channel after the first message. `at` is the same in both. */
export function siteLive({ db, bus, onError, settings, versions }: SiteDeps, live: Live): { close(): void } {
  const toAdmins = { hub: '/hub/admin' } as const
  // Serialised, to keep the order of the entries.
  let pushed: Promise<void> = Promise.resolve()
  const pushSoon = coalesce((ranges: Events['log.written'][]) => {
    pushed = pushed.then(() => push(ranges)).catch(onError)
  })
  bus.subscribe('log.written', (range) => {
    if (live.count(toAdmins) > 0) pushSoon(range)
  })
  async function push(ranges: readonly Events['log.written'][]): Promise<void> {
    for (const row of await listLogsOf(db, ranges)) live.send(toAdmins, 'ReceivedLog', logView(row))
  }

  let again: NodeJS.Timeout | undefined
  const announce = (at: number) => {
    live.send({ hub: '/hub/site' }, 'VexilSettings', { at })
    for (const game of live.gamesOf('/hub/user')) live.send({ hub: '/hub/user', game }, 'VexilSettings', { at })
  }
  settings.onChange(() => {
    const at = Math.round(versions.now())
    announce(at)
    clearTimeout(again)
    again = setTimeout(announce, settingsRepeatAfter, at).unref()
  })
  return { close: () => clearTimeout(again) }
}
