import * as contract from '@vexil/contract/writeups'
import { fileLimits } from '@vexil/core/limits'
import { mustBeAbleToSeeWriteup } from '@vexil/core/participation'
import { GameNotFound } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { disposition } from '../files/delivery.ts'
import { findGame } from '../games/games.queries.ts'
import { type Http, route } from '../http/route.ts'
import { streamChunks } from '../http/stream-chunks.ts'
import { oneStream } from '../http/uploads.ts'
import { deleteWriteups } from './delete-writeups.ts'
import { handInWriteup, mustBeAbleToHandIn } from './hand-in-writeup.ts'
import { findWriteupContext, listWriteups } from './writeups.queries.ts'
import { ownWriteupView, writeupView } from './writeups.view.ts'
import { zipWriteups } from './zip-writeups.ts'

export function writeupRoutes(http: Http, deps: Deps): void {
  const { db } = deps

  route(http, contract.getWriteup, async ({ params, actor }) => {
    const context = await findWriteupContext(db, params.id, actor.id)
    mustBeAbleToSeeWriteup(context)
    return ownWriteupView(context)
  })
  route(http, contract.submitWriteup, async (call) => {
    const { params, actor, by } = call
    await mustBeAbleToHandIn(db, params.id, actor.id)
    await oneStream(http, call, { part: 'file', max: fileLimits.writeupBytes }, (file) =>
      handInWriteup(deps, { gameId: params.id, file, by }),
    )
  })

  route(http, contract.listWriteups, async ({ params }) => {
    if (!(await findGame(db, params.id))) throw new GameNotFound()
    return (await listWriteups(db, params.id)).map(writeupView)
  })
  route(http, contract.downloadWriteups, async ({ params, reply }) => {
    const { name, stream } = await zipWriteups(deps, params.id)
    reply.type('application/zip').header('content-disposition', disposition('attachment', name))
    await streamChunks(reply, stream, deps.onError)
  })
  route(http, contract.deleteWriteups, ({ params, by }) => deleteWriteups(deps, params.id, by))
}
