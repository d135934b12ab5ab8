import type { LogMessage } from '@vexil/contract/live'
import type { Deps } from '../deps.ts'
import { logView } from './site.view.ts'

/** Pushes log entries to administrators as they are written, by whichever node. `listening` spares the query when nobody is there. */
export function pushLog(
  { db, bus, report }: Pick<Deps, 'db' | 'bus' | 'report'>,
  send: (message: LogMessage) => void,
  listening: () => boolean,
): void {
  bus.subscribe('log.written', ({ from, to }) => {
    if (!listening()) return
    db.selectFrom('logs')
      .selectAll()
      .where('id', '>=', from)
      .where('id', '<=', to)
      .orderBy('id')
      .execute()
      .then((rows) => rows.map(logView).forEach(send))
      .catch(report)
  })
}
