import * as contract from '@vexil/contract/scoreboard'
import { wireTime } from '@vexil/contract/wire'
import { mustBeAbleToPlay } from '@vexil/core/participation'
import { mustHaveStarted } from '@vexil/core/phases'
import { BoardNotDrawn, GameNotFound, GameUnknown, RuleError } from '@vexil/core/rules'
import { openChallenge } from '../challenges/open-challenge.ts'
import type { Deps } from '../deps.ts'
import { disposition } from '../files/delivery.ts'
import { sheetFileName } from '../files/file-names.ts'
import { sheetType } from '../files/sheet.ts'
import { findGame } from '../games/games.queries.ts'
import { encodingOf } from '../http/encoding.ts'
import { titleOfCode } from '../http/error-answer.ts'
import { answerLanguage } from '../http/language.ts'
import { type Http, route } from '../http/route.ts'
import { type Exchange, sendEncoded } from '../http/send-encoded.ts'
import { type BodyRequest, type Form, openBoardBodies } from './board-bodies.ts'
import type { BoardClient } from './board-client.ts'
import { type BoardRequests, type BoardState, tailVersion, versionOf } from './board-requests.ts'
import { findPlayer, listPracticeSolves, type Player } from './details.queries.ts'
import { baseVersion, tailFrom } from './feed.view.ts'
import { joinGzip, joinPlain } from './gzip-concat.ts'
import { openDetails } from './own-details.ts'
import { itemView } from './scoreboard.view.ts'

type BoardDeps = Deps & { readonly boards: BoardClient }

export function scoreboardRoutes(http: Http, deps: BoardDeps): void {
  boardRoutes(http, deps)
  sheetRoute(http, deps)
  playerRoutes(http, deps)
}

/** @throws GameNotFound, GameNotStarted */
async function findShown({ boards, versions }: Pick<BoardDeps, 'boards' | 'versions'>, gameId: number): Promise<BoardState> {
  const state = await boards.state(gameId)
  if (!state) throw new GameNotFound()
  mustHaveStarted(state.game, versions.now())
  return state
}

function boardRoutes(http: Http, deps: BoardDeps): void {
  const { boards } = deps
  const bodyOf = openBoardBodies(boards)

  async function send<F extends Form>(exchange: Exchange, body: BodyRequest<F>): Promise<void> {
    const encoding = encodingOf(exchange.request.headers['accept-encoding'], ['br', 'gzip'])
    sendEncoded(exchange, { encoding, ...(await bodyOf(body, encoding)) })
  }

  route(http, contract.scoreboard, async ({ params, request, reply }) => {
    const state = await findShown(deps, params.id)
    await send({ request, reply }, { form: 'wire', params: { gameId: params.id }, version: versionOf(state) })
  })

  route(http, contract.feed, async ({ params, query, request, reply }) => {
    const state = await findShown(deps, params.id)
    if (query.after === undefined)
      return send({ request, reply }, { form: 'base', params: { gameId: params.id }, version: baseVersion(state) })
    const after = tailFrom(state.head, query.after)
    await send({ request, reply }, { form: 'tail', params: { gameId: params.id, after }, version: tailVersion(state, after) })
  })

  route(http, contract.boardStart, async ({ params, query, request, reply }) => {
    const state = await findShown(deps, params.id)
    const gameId = params.id
    if (query.team === undefined)
      return send({ request, reply }, { form: 'start', params: { gameId }, version: versionOf(state) })
    const row = await boards.request('startRow', { gameId, teamId: query.team })
    if (!row) throw new GameNotFound()
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(Buffer.from(row.plain))
  })
}

function sheetRoute(http: Http, deps: BoardDeps): void {
  const { db, versions } = deps
  route(http, contract.scoreboardSheet, async ({ params, language, reply }) => {
    const game = await findGame(db, params.id)
    if (!game) throw new GameUnknown()
    mustHaveStarted({ startsAt: game.startsAt.getTime(), endsAt: game.endsAt.getTime() }, versions.now())
    const time = new Date(versions.now())
    const sheet = await drawSheet(deps, { gameId: params.id, hasDivisions: game.divisions.length > 0, language, time })
    reply
      .type(sheetType)
      .header('content-disposition', disposition('attachment', sheetFileName(game.title, 'Scoreboard', time)))
      .send(sheet)
  })
}

async function drawSheet(deps: BoardDeps, params: BoardRequests['sheet']['params']): Promise<Buffer> {
  const { boards, log, onError } = deps
  try {
    await findShown(deps, params.gameId)
    const sheet = await boards.request('sheet', params)
    if (!sheet) throw new GameNotFound()
    return Buffer.from(sheet)
  } catch (error) {
    if (error instanceof RuleError) throw error
    onError(error)
    const message = `Could not create the sheet of game #${params.gameId}: ${String(error)}`
    log.write({ level: 'Error', status: 'Failed', name: 'System', message })
    throw new BoardNotDrawn()
  }
}

function playerRoutes(http: Http, deps: BoardDeps): void {
  const { db, boards } = deps
  const detailsOf = openDetails(boards.request)

  route(http, contract.gameDetails, async ({ params, actor, request, reply }) => {
    const player: Player = await findPlayer(db, params.id, actor.id)
    mustBeAbleToPlay(player)
    const state = await findShown(deps, params.id)
    const { game, teamCount } = state
    const { participationId } = player
    const details = await detailsOf({ gameId: params.id, participationId, version: versionOf(state) })
    if (!details) throw new GameNotFound()
    const { shared, row } = details
    // Practice solves exist only after the end.
    const isOver = player.now >= game.endsAt
    const unlisted = () => itemView({ team: player.team, rank: 0, divisionRank: null, points: 0, lastAt: null, solves: [] })
    const own = {
      teamToken: player.teamToken,
      writeupRequired: player.writeupRequired,
      writeupDeadline: wireTime(player.writeupDeadline),
      practiceSolves: isOver ? await listPracticeSolves(db, participationId, game.endsAt) : [],
      containerCountLimit: player.containerLimit,
      participationId,
      teamCount,
    }
    const ownMembers = `"rank":${row ?? JSON.stringify(unlisted())},${JSON.stringify(own).slice(1)}`
    // gzip only: brotli streams cannot be concatenated.
    const encoding = encodingOf(request.headers['accept-encoding'], ['gzip'])
    const join = encoding === 'gzip' ? joinGzip : joinPlain
    sendEncoded({ request, reply }, { bytes: join(shared, ownMembers), encoding })
  })

  route(http, contract.challengeDetail, async ({ params, actor, request, reply }) => {
    const opened = await openChallenge(deps, { gameId: params.id, challengeId: params.cid, accountId: actor.id })
    const state = await boards.state(params.id)
    const { context, ...view } = opened.view
    const failure = context.startFailure
    const startFailure = failure && { ...failure, title: titleOfCode(failure.code, answerLanguage(request, reply)) }
    return { ...view, context: { ...context, startFailure }, score: state?.scores.get(params.cid) ?? opened.originalScore }
  })
}
