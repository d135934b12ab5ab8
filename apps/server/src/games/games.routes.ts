import * as contract from '@vexil/contract/games'
import { pages } from '@vexil/core/limits'
import { GameNotFound } from '@vexil/core/rules'
import type { Deps } from '../deps.ts'
import { pageOf, spanOf } from '../http/paging.ts'
import { type Http, route } from '../http/route.ts'
import {
  countParticipations,
  countRegistered,
  findGame,
  findOwnParticipation,
  listEvents,
  listNotices,
  listVisibleGames,
} from './games.queries.ts'
import { basicGameView, detailedGameView, eventView, noticeView } from './games.view.ts'
import { joinGame } from './join-game.ts'
import { leaveGame } from './leave-game.ts'
import { mustShow } from './must-show.ts'

export function gameRoutes(http: Http, deps: Deps): void {
  const { db } = deps

  route(http, contract.listGames, async ({ query }) =>
    (await listVisibleGames(db, pageOf(query, pages.games))).map(basicGameView),
  )

  route(http, contract.getGame, async ({ params: { id }, actor }) => {
    const game = await findGame(db, id)
    if (!game) throw new GameNotFound()
    const own = actor ? await findOwnParticipation(db, id, actor.id) : undefined
    const registered = actor ? await countRegistered(db, id, actor.id) : {}
    return detailedGameView(game, await countParticipations(db, id), own, registered)
  })

  route(http, contract.joinGame, ({ params, body, by }) =>
    joinGame(deps, {
      gameId: params.id,
      teamId: body.teamId,
      division: body.organization ?? null,
      inviteCode: body.inviteCode ?? null,
      by,
    }),
  )

  route(http, contract.leaveGame, ({ params, actor }) => leaveGame(deps, params.id, actor.id))

  route(http, contract.listNotices, async ({ params, query }) => {
    await mustShow(db, params.id)
    return (await listNotices(db, params.id, pageOf(query, pages.notices))).map(noticeView)
  })

  route(http, contract.listEvents, async ({ params, query }) => {
    await mustShow(db, params.id)
    const page = { ...pageOf(query, pages.events), ...spanOf(query), hideContainer: query.hideContainer ?? false }
    return (await listEvents(db, params.id, page)).map(eventView)
  })
}
