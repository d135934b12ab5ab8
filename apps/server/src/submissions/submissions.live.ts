/** What this room tells monitors: every judged answer. */
import type { Deps } from '../deps.ts'
import type { Audience, Live } from '../http/live.ts'
import { findCheat, findSubmission } from './submissions.queries.ts'
import { cheatEventView, flagEventView, submissionView } from './submissions.view.ts'

export function submissionsLive({ db, bus, report }: Pick<Deps, 'db' | 'bus' | 'report'>, live: Live): void {
  /** The event of an answer, the event of a cheat, then the submission with its true status. */
  async function push(to: Audience & { hub: '/hub/monitor' }, submissionId: number): Promise<void> {
    const row = await findSubmission(db, submissionId)
    if (!row) return
    live.send(to, 'ReceivedGameEvent', flagEventView(row))
    const cheat = row.status === 'CheatDetected' ? await findCheat(db, submissionId) : undefined
    if (cheat) live.send(to, 'ReceivedGameEvent', cheatEventView(cheat))
    live.send(to, 'ReceivedSubmissions', submissionView(row))
  }
  // One after the other, so that monitors see them in the order of judging.
  let pushed: Promise<void> = Promise.resolve()
  bus.subscribe('submission.judged', ({ gameId, submissionId }) => {
    const to = { hub: '/hub/monitor', game: gameId } as const
    if (live.count(to) > 0) pushed = pushed.then(() => push(to, submissionId)).catch(report)
  })
}
