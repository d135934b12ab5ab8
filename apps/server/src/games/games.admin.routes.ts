import * as contract from '@vexil/contract/games'
import { fileLimits, pages } from '@vexil/core/limits'
import { GameNotFound, GameUnknown, ParticipationStatusUnknown } from '@vexil/core/rules'
import { participationStatuses } from '@vexil/core/vocabulary'
import { audit } from '../audit.ts'
import type { Deps } from '../deps.ts'
import { pageOf } from '../http/paging.ts'
import { type Http, route } from '../http/route.ts'
import { oneFile } from '../http/uploads.ts'
import { changePoster } from './change-poster.ts'
import { createGame, deleteGame, updateGame } from './edit-game.ts'
import { deleteNotice, publishNotice, updateNotice } from './edit-notice.ts'
import { hashSalt } from './game-keys.ts'
import {
  findGame,
  findPrivateKey,
  listAllGames,
  listMembersOfGame,
  listNormalNotices,
  listParticipations,
  listRegistrations,
} from './games.queries.ts'
import { gameInfoView, noticeView, participationViews } from './games.view.ts'
import { reviewParticipation } from './review-participation.ts'

export function gameAdminRoutes(http: Http, deps: Deps): void {
  const { db, log } = deps

  async function mustExist(id: number) {
    const game = await findGame(db, id)
    if (!game) throw new GameNotFound()
    return game
  }

  route(http, contract.editListGames, async ({ query }) => {
    const { rows, total } = await listAllGames(db, pageOf(query, pages.editGames))
    return { data: rows.map(gameInfoView), length: rows.length, total }
  })
  route(http, contract.createGame, async ({ body, by }) => gameInfoView(await createGame(deps, body, by)))
  route(http, contract.editGetGame, async ({ params }) => gameInfoView(await mustExist(params.id)))
  route(http, contract.updateGame, async ({ params, body, by }) => gameInfoView(await updateGame(deps, params.id, body, by)))
  route(http, contract.deleteGame, ({ params, by }) => deleteGame(deps, params.id, by))
  route(http, contract.gameHashSalt, async ({ params }) => {
    const privateKey = await findPrivateKey(db, params.id)
    if (privateKey === undefined) throw new GameNotFound()
    return hashSalt(privateKey)
  })

  route(http, contract.gamePoster, async (call) => {
    const game = await mustExist(call.params.id)
    return oneFile(http, call, { part: 'file', max: fileLimits.imageBytes }, ({ bytes }) =>
      changePoster(deps, game, bytes, call.by),
    )
  })

  route(http, contract.editListNotices, async ({ params }) => {
    await mustExist(params.id)
    return (await listNormalNotices(db, params.id)).map(noticeView)
  })
  route(http, contract.addNotice, async ({ params, body, by }) => {
    const game = await mustExist(params.id)
    const notice = await publishNotice(deps, params.id, body.content)
    audit({ log }, by, `Published notice #${notice.id} in ${game.title}`)
    return noticeView(notice)
  })
  route(http, contract.updateNotice, async ({ params, body, by }) => {
    const game = await mustExist(params.id)
    const notice = await updateNotice(deps, params.id, params.nid, body.content)
    audit({ log }, by, `Changed notice #${params.nid} of ${game.title}`)
    return noticeView(notice)
  })
  route(http, contract.deleteNotice, async ({ params, by }) => {
    const game = await mustExist(params.id)
    await deleteNotice(deps, params.id, params.nid)
    audit({ log }, by, `Deleted notice #${params.nid} of ${game.title}`)
  })

  route(http, contract.listParticipations, async ({ params: { id } }) => {
    if (!(await findGame(db, id))) throw new GameUnknown()
    return participationViews(await listParticipations(db, id), await listMembersOfGame(db, id), await listRegistrations(db, id))
  })
  route(http, contract.setParticipation, ({ params, by }) => {
    const wanted = params.status.toLowerCase()
    const status = participationStatuses.find((name, number) => name.toLowerCase() === wanted || String(number) === wanted)
    if (!status) throw new ParticipationStatusUnknown()
    return reviewParticipation(deps, { participationId: params.id, status, by })
  })
}
