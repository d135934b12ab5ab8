import * as contract from '@vexil/contract/submissions'
import { wireTime } from '@vexil/contract/wire'
import { pages } from '@vexil/core/limits'
import { mustHaveStarted } from '@vexil/core/phases'
import { GameNotFound, GameUnknown, NotTakingPart, SubmissionNotFound } from '@vexil/core/rules'
import { shownToPlayer } from '@vexil/core/vocabulary'
import type { Deps } from '../deps.ts'
import { disposition } from '../files/delivery.ts'
import { sheetFileName } from '../files/file-names.ts'
import { sheetStream, sheetType } from '../files/sheet.ts'
import { findClock } from '../games/games.queries.ts'
import { mustShow } from '../games/must-show.ts'
import { mustStillBeAllowed } from '../http/gate.ts'
import { spanOf } from '../http/paging.ts'
import { type Http, route } from '../http/route.ts'
import type { Attempts } from './attempts.ts'
import { openRecentVerdicts } from './recent-verdicts.ts'
import { streamSubmissions } from './stream-submissions.ts'
import type { SubmissionContextCache } from './submission-context-cache.ts'
import { submissionSheet } from './submission-sheet.ts'
import { countActivity, findCaller, findStatus, listCheats, listSubmissions, listTries } from './submissions.queries.ts'
import { cheatView, submissionView, tryView } from './submissions.view.ts'
import { submitFlag } from './submit-flag.ts'

export function submissionRoutes(
  http: Http,
  deps: Deps & { readonly attempts: Attempts; readonly facts: SubmissionContextCache },
): void {
  const { db } = deps
  const verdicts = openRecentVerdicts()

  route(http, contract.submitFlag, ({ params, body, actor, ip, session: { hash: session }, request }) => {
    const mustBeSignedIn = () => mustStillBeAllowed(http.gate, request)
    const attempt = { gameId: params.id, challengeId: params.cid, flag: body.flag, actor, ip, session, arrived: request.arrived }
    return submitFlag({ ...deps, verdicts, mustBeSignedIn }, attempt)
  })

  route(http, contract.submissionStatus, async ({ params, actor }) => {
    const wanted = { id: params.sid, gameId: params.id, challengeId: params.cid, accountId: actor.id }
    const status = verdicts.find(wanted) ?? (await findStatus(db, params, actor.id))
    if (!status) throw new SubmissionNotFound()
    return shownToPlayer(status)
  })

  route(http, contract.ownTries, async ({ params, actor }) => {
    const { game, participationId } = (await findCaller(db, params.id, actor.id)).play
    if (!game) throw new GameNotFound()
    if (participationId === null) throw new NotTakingPart()
    return (await listTries(db, participationId, params.cid)).map(tryView)
  })

  route(http, contract.listSubmissions, async ({ params, query }) => {
    await mustShow(db, params.id)
    // Existing tools request all rows with a count of 0 or less.
    if (query.count !== undefined && query.count <= 0)
      return streamSubmissions(db, params.id, { type: query.type, ...spanOf(query) })
    const page = {
      count: Math.min(query.count ?? pages.submissions.size, pages.submissions.max),
      skip: Math.max(0, query.skip ?? 0),
    }
    return (await listSubmissions(db, params.id, { type: query.type, ...spanOf(query), ...page })).map(submissionView)
  })

  route(http, contract.activity, async ({ params }) => {
    await mustShow(db, params.id)
    return (await countActivity(db, params.id)).map(({ from, right, wrong }) => ({ from: wireTime(from), right, wrong }))
  })

  route(http, contract.submissionSheet, async ({ params, language, reply }) => {
    const game = await findClock(db, params.id)
    if (!game) throw new GameUnknown()
    mustHaveStarted(game, game.now)
    const time = new Date(game.now)
    reply
      .type(sheetType)
      .header('content-disposition', disposition('attachment', sheetFileName(game.title, 'Submissions', time)))
      .send(sheetStream({ ...submissionSheet(db, params.id, language), time }))
  })

  route(http, contract.listCheats, async ({ params }) => {
    await mustShow(db, params.id)
    return (await listCheats(db, params.id)).map(cheatView)
  })
}
