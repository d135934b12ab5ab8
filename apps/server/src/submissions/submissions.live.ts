import type { Deps } from '../deps.ts'
import type { Live } from '../http/live.ts'
import { type CheatRow, listCheatsOf, listSubmissionsById, type SubmissionRow } from './submissions.queries.ts'
import { cheatEventView, flagEventView, submissionView } from './submissions.view.ts'

/** Milliseconds for which judged answers are collected before a query. */
const gatherMs = 100
const atOnce = 1000

/** Sends judged answers in their order, at most 100 ms late while the database responds, with at most two queries per 1,000 answers. `close` sends the rest. */
export function submissionsLive(
  { db, bus, onError }: Pick<Deps, 'db' | 'bus' | 'onError'>,
  live: Live,
): { close(): Promise<void> } {
  /** Ids of submissions by game, in the order of judging. */
  let waiting = new Map<number, number[]>()
  let timer: NodeJS.Timeout | null = null
  let pushed: Promise<void> = Promise.resolve()

  bus.subscribe('submission.judged', ({ gameId, submissionId }) => {
    if (live.count({ hub: '/hub/monitor', game: gameId }) === 0) return
    waiting.set(gameId, waiting.get(gameId) ?? [])
    waiting.get(gameId)?.push(submissionId)
    timer ??= setTimeout(flush, gatherMs).unref()
  })

  function flush(): void {
    timer = null
    pushed = pushed.then(pushAll)
  }

  async function pushAll(): Promise<void> {
    const games = waiting
    waiting = new Map()
    for (const [gameId, ids] of games)
      for (let from = 0; from < ids.length; from += atOnce) await push(gameId, ids.slice(from, from + atOnce)).catch(onError)
  }

  async function push(game: number, ids: readonly number[]): Promise<void> {
    const submissions = byId(await listSubmissionsById(db, ids))
    const detected = ids.filter((id) => submissions.get(id)?.status === 'CheatDetected')
    const cheats = byId(detected.length > 0 ? await listCheatsOf(db, detected) : [])
    for (const id of ids) {
      const row = submissions.get(id)
      if (row) send(game, row, cheats.get(id))
    }
  }

  function send(game: number, row: SubmissionRow, cheat: CheatRow | undefined): void {
    const to = { hub: '/hub/monitor', game } as const
    live.send(to, 'ReceivedGameEvent', flagEventView(row))
    if (cheat) live.send(to, 'ReceivedGameEvent', cheatEventView(cheat))
    live.send(to, 'ReceivedSubmissions', submissionView(row))
  }

  return {
    close() {
      if (timer !== null) clearTimeout(timer)
      flush()
      return pushed
    },
  }
}

const byId = <T extends { readonly id: number }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]))
