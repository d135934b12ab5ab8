import * as contract from '@vexil/contract/submissions'
import { pages } from '@vexil/core/limits'
import { mustHaveStarted } from '@vexil/core/phases'
import { GameNotFound, GameUnknown, SubmissionNotFound } from '@vexil/core/rules'
import { shownToPlayer } from '@vexil/core/vocabulary'
import type { Deps } from '../deps.ts'
import { disposition } from '../files/delivery.ts'
import { sheetFileName } from '../files/file-names.ts'
import { sheetStream, sheetType } from '../files/sheet.ts'
import type { Live } from '../http/live.ts'
import { type Http, route } from '../http/route.ts'
import type { Attempts } from './attempts.ts'
import { streamSubmissions } from './stream-submissions.ts'
import { submissionSheet } from './submission-sheet.ts'
import { findCheat, findStart, findStatus, findSubmission, listCheats, listSubmissions } from './submissions.queries.ts'
import { cheatEventView, cheatView, flagEventView, submissionView } from './submissions.view.ts'
import { submitFlag } from './submit-flag.ts'

export function submissionRoutes(http: Http, deps: Deps & { readonly attempts: Attempts }, live: Live): void {
  const { db, bus, report } = deps

  async function mustShow(gameId: number): Promise<void> {
    const game = await findStart(db, gameId)
    if (!game) throw new GameNotFound()
    mustHaveStarted(game, game.now)
  }

  // The arrival is when the last byte of the body was read: the handler runs right after that, and nothing is awaited before this line.
  route(http, contract.submitFlag, ({ params, body, actor, ip }) =>
    submitFlag(deps, { gameId: params.id, challengeId: params.cid, flag: body.flag, actor, ip, arrived: performance.now() }),
  )

  route(http, contract.submissionStatus, async ({ params, actor }) => {
    const status = await findStatus(db, params, actor.id)
    if (!status) throw new SubmissionNotFound()
    return shownToPlayer(status)
  })

  route(http, contract.listSubmissions, async ({ params, query }) => {
    await mustShow(params.id)
    // Existing tools ask for everything with a count of 0 or less. The stream has the described shape, as text.
    if (query.count !== undefined && query.count <= 0)
      return (await streamSubmissions(db, params.id, query.type)) as unknown as contract.Submission[]
    const page = {
      count: Math.min(query.count ?? pages.submissions.size, pages.submissions.max),
      skip: Math.max(0, query.skip ?? 0),
    }
    return (await listSubmissions(db, params.id, { type: query.type, ...page })).map(submissionView)
  })

  route(http, contract.submissionSheet, async ({ params, language, reply }) => {
    const game = await findStart(db, params.id)
    if (!game) throw new GameUnknown()
    mustHaveStarted(game, game.now)
    const time = new Date(game.now)
    reply
      .type(sheetType)
      .header('content-disposition', disposition('attachment', sheetFileName(game.title, 'Submissions', time)))
      .send(sheetStream({ ...submissionSheet(db, params.id, language), time }))
  })

  route(http, contract.listCheats, async ({ params }) => {
    await mustShow(params.id)
    return (await listCheats(db, params.id)).map(cheatView)
  })

  /** Monitors see every answer: its event, the event of a cheat, then the submission with its true status. */
  async function show(gameId: number, submissionId: number): Promise<void> {
    const row = await findSubmission(db, submissionId)
    if (!row) return
    live.send('/hub/monitor', gameId, 'ReceivedGameEvent', flagEventView(row))
    const cheat = row.status === 'CheatDetected' ? await findCheat(db, submissionId) : undefined
    if (cheat) live.send('/hub/monitor', gameId, 'ReceivedGameEvent', cheatEventView(cheat))
    live.send('/hub/monitor', gameId, 'ReceivedSubmissions', submissionView(row))
  }
  // One after the other, so that monitors see them in the order of judging.
  let shown: Promise<void> = Promise.resolve()
  bus.subscribe('submission.judged', ({ gameId, submissionId }) => {
    if (live.count('/hub/monitor', gameId) === 0) return
    shown = shown.then(() => show(gameId, submissionId)).catch(report)
  })
}
