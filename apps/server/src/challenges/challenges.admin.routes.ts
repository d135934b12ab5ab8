import * as contract from '@vexil/contract/challenges'
import { marksChallenge } from '@vexil/core/checks'
import type { Deps } from '../deps.ts'
import { type Http, route } from '../http/route.ts'
import { addFlags } from './add-flags.ts'
import {
  type ChallengeRow,
  countFlagsOfGame,
  countSolves,
  getChallenge,
  listAttachments,
  listChallenges,
  listFailures,
  listFlags,
} from './challenges.queries.ts'
import { editDetailView, listRowView } from './challenges.view.ts'
import { containerInfo, findContainer } from './container-info.ts'
import { createChallenge } from './create-challenge.ts'
import { deleteChallenge } from './delete-challenge.ts'
import { deleteFlag } from './delete-flag.ts'
import { editChallenge } from './edit-challenge.ts'
import { redrawBoard } from './redraw-board.ts'
import { setAttachment } from './set-attachment.ts'

export function challengeAdminRoutes(http: Http, deps: Deps): void {
  const { db, config } = deps

  async function detailOf(row: ChallengeRow) {
    const solves = await countSolves(db, row.gameId)
    const test = await findContainer(db, { challengeId: row.id, participationId: null })
    return editDetailView(
      row,
      await listFlags(db, row.id),
      await listAttachments(db, row.id),
      solves.get(row.id) ?? 0,
      test?.state === 'Running' ? containerInfo(test, null, config) : null,
    )
  }

  route(http, contract.editListChallenges, async ({ params }) => {
    const solves = await countSolves(db, params.id)
    const counts = await countFlagsOfGame(db, params.id)
    const failures = (await listFailures(db, { gameId: params.id })).filter((one) => marksChallenge(one.failures))
    const failing = new Map(failures.map(({ challengeId, since }) => [challengeId, since]))
    return (await listChallenges(db, params.id)).map((row) =>
      listRowView(row, solves.get(row.id) ?? 0, counts.get(row.id) ?? { flags: 0, files: 0 }, failing.get(row.id) ?? null),
    )
  })
  route(http, contract.createChallenge, async ({ params, body, by }) =>
    detailOf(await createChallenge(deps, { gameId: params.id, ...body }, by)),
  )
  route(http, contract.editGetChallenge, async ({ params }) => detailOf(await getChallenge(db, params.id, params.cid)))
  route(http, contract.updateChallenge, async ({ params, body, by }) =>
    detailOf(await editChallenge(deps, { gameId: params.id, challengeId: params.cid, edit: body }, by)),
  )
  route(http, contract.deleteChallenge, ({ params, by }) =>
    deleteChallenge(deps, { gameId: params.id, challengeId: params.cid }, by),
  )
  route(http, contract.recount, ({ params, by }) => redrawBoard(deps, params.id, by))

  route(http, contract.setAttachment, ({ params, body, by }) =>
    setAttachment(deps, { gameId: params.id, challengeId: params.cid, edit: body }, by),
  )
  route(http, contract.addFlags, ({ params, body, by }) =>
    addFlags(deps, { gameId: params.id, challengeId: params.cid, flags: body }, by),
  )
  route(http, contract.deleteFlag, ({ params, by }) =>
    deleteFlag(deps, { gameId: params.id, challengeId: params.cid, flagId: params.fid }, by),
  )
}
